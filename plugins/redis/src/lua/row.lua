-- row: the row of a workflow, {ns:p}:w:<id>, a packed string, and the rows that this script has looked at.
--
-- A row is read once and written once a script, by flush, with all indexes that name it; so a chain on one workflow
-- costs what one operation costs. Fields are those of stile/sdk/engine/row.hpp; empty text stands for no id.
--
-- A row is an array; row.NAME below and in other files is written row[NUMBER] by this list (fields.cpp). COMMON holds
-- what stands from `version` on, RARE what stands between `was_at` and that.
--FIELDS id dirty fresh discarded was_key was_score was_put_off was_queue was_wakeup was_known was_finished
--FIELDS was_records was_bytes was_class was_at
--FIELDS since pend cancelled_at discard_removed messages kept cancel_removed has_next_queue
--FIELDS cancel_op request_cancel_op discard_op next_queue error
--FIELDS version wakeup trim_class put_off cancel_requested granted_by answer_kind answer_flag enqueue_kind
--FIELDS enqueue_state count answer_count epoch number ttl alive budget due delivery position first records bytes
--FIELDS written_at finished_at touched_at happened_at trim_at answer_at enqueue_at
--FIELDS stamp receive answer_op enqueue_op queue entry inline next
-- SPDX-License-Identifier: Apache-2.0
local COMMON = '<BBBBBBBBBBI4I4I4dddddddddddddddddBc0Bc0Bc0Bc0Bc0Bc0I2c0'
local RARE = '<ddddddBBBc0Bc0Bc0Bc0I2c0'

local function read_row(id, packed)
  local row = {
    id, nil, nil, nil, nil, nil, 0, nil, nil, nil, nil,
    0, 0, KEPT, 0,
    0, 0, 0, 0, 0, 0, 0, 0,
    '', '', '', '', '',
    struct.unpack(COMMON, packed)
  }
  if row.version ~= 1 then error('row of ' .. id .. ' is of version ' .. row.version) end
  if row.next <= #packed then
    row.since, row.pend, row.cancelled_at, row.discard_removed, row.messages, row.kept, row.cancel_removed,
      row.has_next_queue, row.cancel_op, row.request_cancel_op, row.discard_op, row.next_queue, row.error =
      struct.unpack(RARE, packed, row.next)
  end
  return row
end

local EMPTY -- made by the first call that needs it

-- One that is not stored yet.
local function new_row(id)
  EMPTY = EMPTY or struct.pack(COMMON, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, '', 0, '', 0, '', 0, '', 0, '', 0, '', 0, '')
  local row = read_row(id, EMPTY)
  row.fresh, row.epoch, row.touched_at = true, epoch, now
  return row
end

local function pack_row(row)
  local packed = struct.pack(COMMON, 1, row.wakeup, row.trim_class, row.put_off, row.cancel_requested, row.granted_by,
    row.answer_kind, row.answer_flag, row.enqueue_kind, row.enqueue_state, row.count, row.answer_count, row.epoch,
    row.number, row.ttl, row.alive, row.budget, row.due, row.delivery, row.position, row.first, row.records, row.bytes,
    row.written_at, row.finished_at, row.touched_at, row.happened_at, row.trim_at, row.answer_at, row.enqueue_at,
    #row.stamp, row.stamp, #row.receive, row.receive, #row.answer_op, row.answer_op, #row.enqueue_op, row.enqueue_op,
    #row.queue, row.queue, #row.entry, row.entry, #row.inline, row.inline)
  if row.since == 0 and row.pend == 0 and row.cancelled_at == 0 and row.discard_removed == 0 and row.messages == 0 and
    row.kept == 0 and row.cancel_removed == 0 and row.has_next_queue == 0 and row.cancel_op == '' and
    row.request_cancel_op == '' and row.discard_op == '' and row.error == '' then
    return packed
  end
  return packed .. struct.pack(RARE, row.since, row.pend, row.cancelled_at, row.discard_removed, row.messages, row.kept,
    row.cancel_removed, row.has_next_queue, #row.cancel_op, row.cancel_op, #row.request_cancel_op,
    row.request_cancel_op, #row.discard_op, row.discard_op, #row.next_queue, row.next_queue, #row.error, row.error)
end

local function known(row)
  return row.records ~= 0 or row.number ~= 0 or row.wakeup ~= NOWHERE or row.cancel_requested ~= 0 or
    row.finished_at ~= 0
end
-- Where it stands among those that are due (W7).
local function place(row)
  if row.put_off == 1 then return row.since end
  return row.due
end
local function leased(row) return now < row.alive end
