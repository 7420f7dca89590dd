-- enqueue, cancel, extend, and the four answers ack, snooze, nack, reject (contract C, D, W).
--
-- enqueue  workflow, instant, when, queue (q before it, empty = the last one), revive, op
--                                            -> OK, state, visible_at | INVALID
-- cancel   workflow, op                      -> OK, removed
-- extend   RECEIPT, lease, has_fence, number, stamp, ttl, budget (empty = leave)
--                                            -> OK, visible_at, cancel_requested, live_until,
--                                               budget_until | STALE | CANCELLED | FENCED | LAPSED
-- ack      RECEIPT, ANSWER, finished         -> OK, requeued
-- snooze   RECEIPT, ANSWER, instant, when    -> OK, visible_at
-- nack     RECEIPT, ANSWER, delay, has_error, error (cut) -> OK, visible_at, delivery_count
-- reject   RECEIPT, ANSWER, has_error, error (cut)        -> OK, state
--                            and all four: STALE | CANCELLED | FENCED | INVALID
-- RECEIPT is workflow, nonce, delivery number; ANSWER is has_fence, number, stamp, release, op.
-- SPDX-License-Identifier: Apache-2.0
function ops.enqueue(a)
  local workflow, instant, when, queue, revive, op = ARGV[a], ARGV[a + 1], tonumber(ARGV[a + 2]), ARGV[a + 3],
    ARGV[a + 4], ARGV[a + 5]
  local row = look_or_make(workflow)
  if op ~= '' and op == row.enqueue_op then
    if row.enqueue_kind ~= ENQUEUE then return reused() end
  else
    local due = instant ~= '' and max(when, now) or later(when)
    local state, at = put_wakeup(row, due, queue ~= '' and sub(queue, 2) or nil, revive ~= '')
    row.enqueue_op, row.enqueue_kind, row.enqueue_state, row.enqueue_at = op, ENQUEUE, state, at
    store(row)
  end
  return {OK, row.enqueue_state, row.enqueue_at}
end

function ops.cancel(a)
  local workflow, op = ARGV[a], ARGV[a + 1]
  local row = look(workflow)
  if not row then return {OK, 0} end -- C4, B6
  if op == '' or op ~= row.cancel_op then
    row.cancel_removed = remove_wakeup(row)
    row.cancel_op = op
    store(row)
  end
  return {OK, row.cancel_removed}
end

-- D2, C2: nil where the receipt is current, else the refusal.
local function judge_receipt(row, nonce, delivery)
  if row and row.delivery == delivery and row.receive == nonce and nonce ~= '' then
    if row.wakeup == FLYING then return nil end
    if row.cancelled_at ~= 0 and now < row.cancelled_at + HUSK then return {CANCELLED} end
  end
  return {STALE}
end

function ops.extend(a)
  local workflow, nonce, delivery, lease, has_fence = ARGV[a], ARGV[a + 1], tonumber(ARGV[a + 2]),
    tonumber(ARGV[a + 3]), ARGV[a + 4] ~= ''
  local row = look(workflow)
  local refusal = judge_receipt(row, nonce, delivery)
  if refusal then return refusal end
  if has_fence then
    local number, stamp, ttl, budget = tonumber(ARGV[a + 5]), ARGV[a + 6], tonumber(ARGV[a + 7]), tonumber(ARGV[a + 8])
    if not fence_current(row, number, stamp) then return {FENCED} end
    if not renewable(row, budget) then return {LAPSED} end
    renew_lease(row, ttl, budget)
  end
  local ends = later(lease)
  if still_put_off(row) then -- lapsed, and waiting for somebody's lease: alive again, due after both
    row.since = max(row.since, ends)
    row.due = max(row.due, row.since)
  else
    row.put_off = 0
    row.due = max(row.due, ends)
  end
  store(row)
  return {OK, place(row), row.cancel_requested, row.alive, row.budget}
end

-- Back to waiting, at the earlier of a time and the enqueue that was kept (W3).
local function back_to_waiting(row, due)
  due = with_pend(row, due)
  end_flight(row)
  make_waiting(row, due)
end

-- One answer: again tells what was answered before, apply changes the row of an accepted one.
local function answer(a, kind, finished, again, apply)
  local workflow, nonce, delivery, has_fence, number, stamp, release, op = ARGV[a], ARGV[a + 1], tonumber(ARGV[a + 2]),
    ARGV[a + 3] ~= '', tonumber(ARGV[a + 4]), ARGV[a + 5], ARGV[a + 6], ARGV[a + 7]
  local row = look(workflow)
  if row and op ~= '' and op == row.answer_op then -- D6, R1
    if row.answer_kind ~= kind then return reused() end
    return again(row)
  end
  local refusal = judge_receipt(row, nonce, delivery)
  if refusal then return refusal end
  if has_fence and not fence_current(row, number, stamp) then return {FENCED} end -- D8
  if finished and not has_fence and row.number ~= 0 then return {INVALID, 'finished'} end
  row.answer_op, row.answer_kind, row.answer_at, row.answer_count, row.answer_flag = op, kind, 0, 0, 0
  apply(row)
  row.touched_at = now
  if release ~= '' then free_lease(row) end
  store(row)
  return again(row)
end

local function tell_requeued(row) return {OK, row.answer_flag} end
local function tell_time(row) return {OK, row.answer_at, row.answer_count} end

function ops.ack(a)
  local finished = ARGV[a + 8] ~= ''
  return answer(a, ACK, finished, tell_requeued, function(row)
    row.count, row.error = 0, ''
    if finished and row.finished_at == 0 then row.finished_at = now end -- T1
    if row.pend ~= 0 then
      row.answer_flag = 1
      return back_to_waiting(row, LAST)
    end
    end_flight(row)
    row.wakeup, row.due = NOWHERE, 0
  end)
end

function ops.snooze(a)
  local instant, when = ARGV[a + 8], tonumber(ARGV[a + 9])
  return answer(a, SNOOZE, false, tell_time, function(row)
    row.count, row.error = 0, ''
    back_to_waiting(row, instant ~= '' and max(when, now) or later(when))
    row.answer_at = row.due
  end)
end

function ops.nack(a)
  local delay, has_error, error_text = tonumber(ARGV[a + 8]), ARGV[a + 9], ARGV[a + 10]
  return answer(a, NACK, false, tell_time, function(row)
    if has_error ~= '' then row.error = error_text end
    back_to_waiting(row, later(delay))
    row.answer_at, row.answer_count = row.due, row.count
  end)
end

function ops.reject(a)
  local has_error, error_text = ARGV[a + 8], ARGV[a + 9]
  return answer(a, REJECT, false, tell_requeued, function(row)
    if has_error ~= '' then row.error = error_text end
    if row.pend ~= 0 then
      row.count, row.answer_flag = 0, REQUEUED
      return back_to_waiting(row, LAST)
    end
    end_flight(row)
    row.wakeup, row.due, row.answer_flag = BURIED, 0, DEAD
  end)
end
