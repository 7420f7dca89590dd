-- receive: hands out what is due, earliest first (contract D, W7, W10, R1).
--
-- receive  max, lease, nonce (the op_id, else fresh), again, acquire, ttl, budget, load, limit, max_bytes, channel,
--          since, puts_off (how many it may put off yet, D9), consumer, queues ...
--   -> OK, more, now, next_due, how many were put off, {delivery ...}
--   A delivery is workflow, queue, nonce, delivery number, count, visible_at, cancel_requested, error, number (0 = no
--   lease), stamp, live_until, budget_until, finished, more, {key, value, position, written_at, ...}.
--   A queue has a q before it, or a w where others of that process wait for it too.
-- leave    channel, queues ... -> OK
-- ring     queue               -> OK    for a process that was rung and has nobody who waits
-- channel: the process's, empty = it has nobody in line. consumer: the process, for a log of wakeups.
-- SPDX-License-Identifier: Apache-2.0

-- The next that are due, beginning with what an earlier receive of this script has left of them. What it has not saved
-- yet still stands in the indexes.
local function due_list(queue, n)
  if entered[queue] then flush() end
  local list = fetched[queue]
  if list and (list.at <= #list or list.all) then return list end
  if list then flush() end
  list = due_ids(queue, n)
  list.at, list.all = 1, #list < n
  look_ahead(list)
  fetched[queue] = list
  return list
end

local function no_longer(row, queue)
  return row and row.dirty and
    (row.queue ~= queue or row.due > now or (row.wakeup ~= WAITING and row.wakeup ~= FLYING))
end

function ops.receive(a, n)
  local left, lease, nonce, again, acquire, ttl, budget, load, limit, bytes, channel, since, puts_off, consumer =
    tonumber(ARGV[a]), tonumber(ARGV[a + 1]), ARGV[a + 2], ARGV[a + 3] ~= '', ARGV[a + 4] ~= '', tonumber(ARGV[a + 5]),
    tonumber(ARGV[a + 6]), ARGV[a + 7] ~= '', tonumber(ARGV[a + 8]), tonumber(ARGV[a + 9]), ARGV[a + 10],
    tonumber(ARGV[a + 11]), tonumber(ARGV[a + 12]), ARGV[a + 13]
  local first, last = a + 14, a + n - 1
  local deliveries, put_off, more, stopped = {}, 0, false, false

  local function tell(row, with_fence)
    local out = {row.id, row.queue, row.receive, row.delivery, row.count, place(row), row.cancel_requested, row.error,
      0, '', 0, 0, 0, 0, {}}
    if with_fence then out[9], out[10], out[11], out[12] = row.number, row.stamp, row.alive, row.budget end
    if load then
      local page, used, page_more = load_page(row, 0, limit, bytes, false)
      bytes = bytes - min(used, bytes)
      out[13], out[14], out[15] = row.finished_at ~= 0 and 1 or 0, page_more and 1 or 0, page
    end
    deliveries[#deliveries + 1] = out
  end

  local function deliver(row)
    if row.delivery == 0 then row.delivery = floor end
    if acquire then
      row.put_off = 0 -- it is delivered now: the new lease puts nothing off
      grant(row, nonce, RECEIVE, ttl, budget)
    end
    row.delivery, row.count, row.receive, row.wakeup = row.delivery + 1, row.count + 1, nonce, FLYING
    row.due, row.put_off, row.since, row.pend, row.cancelled_at = later(lease), 0, 0, 0, 0
    tell(row, acquire)
    store(row)
    left = left - 1
  end

  local function take(queue)
    while true do
      local list, delivered = due_list(queue, left + max(upcoming, 1)), {}
      while list.at <= #list do
        local id = list[list.at]
        local row = look(id)
        if no_longer(row, queue) then
          list.at = list.at + 1
        elseif left == 0 then
          more = true
          break
        elseif not row or (row.wakeup ~= WAITING and row.wakeup ~= FLYING) or row.queue ~= queue or row.due > now then
          list.at = list.at + 1
          index_heal(queue, id) -- the row is the truth
          if row then mark(row) end
        elseif acquire and leased(row) then
          if put_off == puts_off then
            more, stopped = true, true
            break
          end
          list.at = list.at + 1
          row.since, row.put_off, row.due = place(row), 1, row.alive -- D9: keeps its place
          store(row)
          put_off = put_off + 1
        else
          list.at = list.at + 1
          deliver(row)
          delivered[#delivered + 1] = row
        end
      end
      log_delivered(queue, consumer, delivered)
      if more or list.all then return end
    end
  end

  upcoming = upcoming - 1
  if again then
    flush()
    for _, id in ipairs(in_flight_of(nonce)) do
      local row = look(id)
      tell(row, acquire and row.stamp == nonce and row.granted_by == RECEIVE)
    end
  end
  if #deliveries == 0 then
    for i = first, last do
      if left == 0 or stopped then break end
      take(sub(ARGV[i], 2))
    end
  end
  if channel ~= '' then flush() end
  local next_time = NO_TIMER
  for i = first, channel ~= '' and last or 0 do
    local queue = sub(ARGV[i], 2)
    if sub(ARGV[i], 1, 1) == 'w' or (#deliveries == 0 and not more) then
      next_time = min(next_time, wait_in_line(queue, channel, since, next_due(queue)))
    else
      leave_line(queue, channel)
    end
  end
  for i = first, more and #deliveries ~= 0 and last or 0 do ring_for(sub(ARGV[i], 2), now) end
  return {OK, more and 1 or 0, now, next_time, put_off, deliveries}
end

function ops.leave(a, n)
  for i = a + 1, a + n - 1 do leave_line(ARGV[i], ARGV[a]) end
  return {OK}
end

function ops.ring(a)
  ring_for(ARGV[a], now)
  return {OK}
end
