-- state: how a row changes. Pure but for now; stile/sdk/engine/state.hpp in Lua, function by function.
--
-- SPDX-License-Identifier: Apache-2.0

-- A4. No stamp is that of an older epoch: nobody's.
local function fence_current(row, number, stamp)
  return row.number ~= 0 and row.stamp ~= '' and row.number == number and row.stamp == stamp
end

local function still_put_off(row) return row.put_off == 1 and row.due > now and now < row.alive end

local function set_alive(row, alive)
  if still_put_off(row) then
    row.due = max(alive, row.since)
  elseif row.put_off == 1 and row.due > now then
    row.put_off, row.since = 0, 0
  end
  row.alive = alive
end

-- A1, A3.
local function grant(row, stamp, kind, ttl, budget)
  row.number = (row.number ~= 0 and row.number or floor) + 1
  row.stamp, row.granted_by, row.ttl, row.budget = stamp, kind, ttl, later(budget)
  set_alive(row, min(later(ttl), row.budget))
end

local function free_lease(row)
  if still_put_off(row) then row.due = max(row.since, now) end
  row.alive, row.budget = 0, 0
end

-- A6.
local function sign_of_life(row)
  if now >= row.alive then return end
  local alive = min(later(row.ttl), row.budget)
  if alive > row.alive then set_alive(row, alive) end
end

-- A7. budget nil = leave.
local function renewable(row, budget) return budget ~= nil or now < row.budget end
local function renew_lease(row, ttl, budget)
  if budget then row.budget = max(row.budget, later(budget)) end
  row.ttl = ttl
  local alive = min(later(ttl), row.budget)
  if alive > row.alive then set_alive(row, alive) end
end

local function make_waiting(row, due)
  row.wakeup, row.due, row.put_off, row.since = WAITING, due, 0, 0
end

-- W3, W10: what was named while it was in flight takes effect with its end.
local function end_flight(row)
  row.pend, row.put_off, row.since = 0, 0, 0
  if row.has_next_queue == 0 then return end
  row.queue, row.next_queue, row.has_next_queue = row.next_queue, '', 0
end

local function with_pend(row, due)
  if row.pend ~= 0 then return min(row.pend, due) end
  return due
end

-- C1, C2. Answers 1 where there was one.
local function remove_wakeup(row)
  local removed = row.wakeup ~= NOWHERE and 1 or 0
  if row.wakeup == FLYING then row.cancelled_at = now end
  end_flight(row)
  row.wakeup, row.due, row.count, row.error = NOWHERE, 0, 0, ''
  return removed
end

-- A13, S2: a delivery in flight is ready again, its receipt stale, its count kept.
local function take_back(row)
  if row.wakeup ~= FLYING then return end
  local waits, since, again = still_put_off(row), row.since, with_pend(row, now)
  end_flight(row)
  make_waiting(row, again)
  row.receive, row.cancelled_at = '', 0
  if not waits then return end
  row.put_off = 1
  row.since = min(since, again)
  row.due = max(row.alive, row.since)
end

-- W2, W3, W10, D7. Answers state and visible_at.
local function put_wakeup(row, due, queue, revive)
  if row.wakeup == FLYING then
    if queue then row.next_queue, row.has_next_queue = queue, 1 end
    row.pend = with_pend(row, due)
    return DEFERRED, row.pend
  end
  if row.wakeup == BURIED and not revive then return DEAD, 0 end
  if queue then row.queue = queue end
  if row.wakeup == WAITING then
    if row.put_off == 1 then row.since = min(row.since, due) else row.due = min(row.due, due) end
    return COALESCED, row.due
  end
  make_waiting(row, due)
  row.count = 0
  return due <= now and READY or DELAYED, due
end

local function leftover_until(row) return min(max(row.happened_at, row.alive) + HUSK, LAST) end

-- Times in trim's indexes are lower bounds, so that a row that stays in its class is not moved by every change.
local function trim_place(row, class, at)
  if row.trim_class == class and row.trim_at <= at then return end
  row.trim_class, row.trim_at = class, at
end
local function place_for_trim(row)
  if row.wakeup ~= NOWHERE then return trim_place(row, KEPT, 0) end
  if row.finished_at ~= 0 then
    if now < row.alive then return trim_place(row, T_LEASED, row.alive) end
    return trim_place(row, T_FINISHED, row.touched_at)
  end
  if row.records == 0 and row.cancel_requested == 0 then return trim_place(row, T_LEFTOVER, leftover_until(row)) end
  trim_place(row, KEPT, 0)
end

-- S2: what a row of an older epoch is now.
local function bump_epoch(row)
  row.epoch, row.stamp, row.granted_by = epoch, '', 0
  free_lease(row)
  take_back(row)
  row.receive, row.cancelled_at = '', 0
end

local function listed_state(row)
  if row.wakeup == WAITING then return row.due <= now and READY or DELAYED end
  if row.wakeup == FLYING then return IN_FLIGHT end
  if row.wakeup == BURIED then return DEAD end
  return row.finished_at ~= 0 and FINISHED or IDLE
end
