-- load, record, supply, append, rebase, discard, request_cancel, watch (contract B, I, C8, A10).
--
-- load            workflow, after, limit, max_bytes, has_key, key -> OK, cancel_requested, fence_number, finished,
--                                                                    more, {key, value, position, written_at, ...}
-- record          workflow, number, stamp, key, value, op         -> OK, first, position, written_at, value (nothing
--                                                                    where equal) | FENCED | INVALID
-- supply          workflow, key, value, op, ENQUEUE               -> as record, then state and visible_at
-- append          workflow, value, has_message_id, message_id, op, ENQUEUE
--                                                                 -> OK, duplicate, position, state, visible_at
-- rebase          workflow, number, stamp, above, key, value, op  -> OK, removed, position, written_at | FENCED |
--                                                                    INVALID
-- discard         workflow, cancel, op                            -> OK, removed
-- request_cancel  workflow, op                                    -> OK
-- watch           channel, then workflow, after ...               -> OK, index (from 0) of each that changed
-- ENQUEUE is four arguments: whether, instant or empty, when, queue with a q before it, or empty for the last one.
-- SPDX-License-Identifier: Apache-2.0
local NO = false

function ops.load(a)
  local workflow, after, limit, bytes, has_key, key = ARGV[a], tonumber(ARGV[a + 1]), tonumber(ARGV[a + 2]),
    tonumber(ARGV[a + 3]), ARGV[a + 4], ARGV[a + 5]
  local row = look(workflow)
  if not row then return {OK, 0, 0, 0, 0, {}} end
  local finished = row.finished_at ~= 0 and 1 or 0
  if has_key ~= '' then
    local record = find_record(row, key)
    return {OK, row.cancel_requested, row.number, finished, 0,
      record and {record.key, record.value, record.position, record.written_at} or {}}
  end
  local page, _, more = load_page(row, after, limit, bytes, true)
  return {OK, row.cancel_requested, row.number, finished, more and 1 or 0, page}
end

-- Which record stands. Equal bytes are not sent back (B2).
local function standing(record, value, mine)
  if record.value == value then return {OK, 1, record.position, record.written_at, NO} end
  return {OK, mine == 1 and 1 or 0, record.position, record.written_at, record.value}
end

function ops.record(a)
  local workflow, number, stamp, key, value, op = ARGV[a], tonumber(ARGV[a + 1]), ARGV[a + 2], ARGV[a + 3], ARGV[a + 4],
    ARGV[a + 5]
  local row = look(workflow)
  if not row then return {FENCED} end
  local current = fence_current(row, number, stamp)
  if not current and op == '' then return {FENCED} end
  local there, reply = find_record(row, key), nil
  if there then
    local mine = who_wrote(there, RECORD_OP, op)
    if not mine then return reused() end
    if not current and mine == 0 then return {FENCED} end
    reply = standing(there, value, mine)
    if mine == 1 then return reply end -- sent again: nothing changes, not even the lease (A6)
  elseif not current then
    return {FENCED}
  else
    local position, written_at = add_record(row, RECORD_OP, op, key, value)
    reply = {OK, 1, position, written_at, NO}
  end
  sign_of_life(row)
  row.touched_at = now
  store(row)
  return reply
end

local function enqueued_by(row, kind, op) return op ~= '' and op == row.enqueue_op and row.enqueue_kind == kind end

local function moment(instant, when)
  if instant ~= '' then return max(when, now) end
  return later(when)
end

-- The end of supply and append, which is one commit with the enqueue inside (W9). Adds state and visible_at. A second
-- send is told, not done (R1): where a newer enqueue took its place in memory, what is there now is told.
local function end_outside_write(reply, row, kind, op, e, replay)
  local asked, instant, when, queue = ARGV[e] ~= '', ARGV[e + 1], tonumber(ARGV[e + 2]), ARGV[e + 3]
  local state, at = 0, 0
  if replay then
    if not asked then
      state = 0
    elseif enqueued_by(row, kind, op) then
      state, at = row.enqueue_state, row.enqueue_at
    elseif row.wakeup == NOWHERE then
      state, at = READY, now
    elseif row.wakeup == WAITING then
      state, at = COALESCED, row.due
    elseif row.wakeup == FLYING then
      state, at = DEFERRED, with_pend(row, row.due)
    else
      state = DEAD
    end
  else
    if asked then
      state, at = put_wakeup(row, moment(instant, when), queue ~= '' and sub(queue, 2) or nil, false)
      row.enqueue_op, row.enqueue_kind, row.enqueue_state, row.enqueue_at = op, kind, state, at
    end
    row.touched_at = now
    store(row)
  end
  reply[#reply + 1], reply[#reply + 2] = state, at
  return reply
end

function ops.supply(a)
  local workflow, key, value, op = ARGV[a], ARGV[a + 1], ARGV[a + 2], ARGV[a + 3]
  local row, reply, replay = look_or_make(workflow), nil, false
  local there = find_record(row, key)
  if there then
    local mine = who_wrote(there, SUPPLY, op)
    if not mine then return reused() end
    reply = standing(there, value, mine)
    replay = mine == 1 or (ARGV[a + 4] ~= '' and enqueued_by(row, SUPPLY, op))
  else
    local position, written_at = add_record(row, SUPPLY, op, key, value)
    reply = {OK, 1, position, written_at, NO}
  end
  return end_outside_write(reply, row, SUPPLY, op, a + 4, replay)
end

function ops.append(a)
  local workflow, value, has_id, message_id, op = ARGV[a], ARGV[a + 1], ARGV[a + 2], ARGV[a + 3], ARGV[a + 4]
  local row, reply, replay = look_or_make(workflow), nil, false
  local name = has_id ~= '' and '0' .. message_id or (op ~= '' and '1' .. op or nil)
  local messages = T .. 'i:' .. workflow
  local there = name and row.position ~= 0 and call('HGET', messages, name)
  if there then -- I3
    local position, next = struct.unpack('<d', there)
    replay = op ~= '' and sub(there, next) == op
    reply = {OK, replay and 0 or 1, position}
    replay = replay or (ARGV[a + 5] ~= '' and enqueued_by(row, APPEND, op))
  else
    local position = add_record(row, APPEND, op, '', value)
    if name then call('HSET', messages, name, struct.pack('<d', position) .. op) end
    reply = {OK, 0, position}
  end
  return end_outside_write(reply, row, APPEND, op, a + 5, replay)
end

function ops.rebase(a)
  local workflow, number, stamp, above, key, value, op = ARGV[a], tonumber(ARGV[a + 1]), ARGV[a + 2],
    tonumber(ARGV[a + 3]), ARGV[a + 4], ARGV[a + 5], ARGV[a + 6]
  local row = look(workflow)
  if not row then return {FENCED} end
  local there = op ~= '' and find_record(row, key)
  if there then
    local mine = who_wrote(there, REBASE, op)
    if not mine then return reused() end
    if mine == 1 then return {OK, 0, there.position, there.written_at} end
  end
  if not fence_current(row, number, stamp) then return {FENCED} end
  local removed = erase_records(row, above)
  local position, written_at = add_record(row, REBASE, op, key, value)
  sign_of_life(row)
  row.touched_at = now
  store(row)
  return {OK, removed, position, written_at}
end

function ops.discard(a)
  local workflow, cancel, op = ARGV[a], ARGV[a + 1], ARGV[a + 2]
  local row = look(workflow)
  if not row then return {OK, 0} end -- B6
  if op ~= '' and op == row.discard_op then return {OK, row.discard_removed} end
  local removed = row.records
  raise_floor(max(row.number, row.position))
  drop_checkpoint(row)
  free_lease(row)
  row.number, row.stamp, row.granted_by, row.ttl, row.finished_at, row.cancel_requested = 0, '', 0, 0, 0, 0
  row.touched_at = now
  if cancel ~= '' then
    remove_wakeup(row)
    row.queue = ''
  end
  row.discard_op, row.discard_removed, row.discarded = op, removed, true
  store(row)
  return {OK, removed}
end

function ops.request_cancel(a)
  local workflow, op = ARGV[a], ARGV[a + 1]
  local row = look_or_make(workflow)
  if op == '' or op ~= row.request_cancel_op then
    row.cancel_requested, row.request_cancel_op, row.touched_at = 1, op, now
    store(row)
  end
  return {OK}
end

-- B14: any other position than the one that was read up to is a change: discard and trim lower it.
function ops.watch(a, n)
  local channel, reply = ARGV[a], {OK}
  for i = 0, (n - 1) / 2 - 1 do
    local workflow, after = ARGV[a + 1 + 2 * i], tonumber(ARGV[a + 2 + 2 * i])
    local row = look(workflow)
    if (row and row.position or 0) ~= after then reply[#reply + 1] = i end
  end
  if channel == '' or #reply > 1 then return reply end
  for i = 0, (n - 1) / 2 - 1 do
    local key = T .. 'v:' .. ARGV[a + 1 + 2 * i]
    call('SADD', key, channel)
    call('PEXPIRE', key, HINT_MS)
  end
  local until_then = now + HINT_MS * 1000
  if not meta[4] or tonumber(meta[4]) < until_then - 1000000 then call('HSET', KEYS[1], 'watched', until_then) end
  return reply
end
