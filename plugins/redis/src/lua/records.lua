-- records: those of one workflow. While they are few and small they stand in its row; else in a hash.
--
--   row.inline      of each record from `first` on: its length, and what a field of the hash would hold
--   {ns:p}:r:<id>   <position> -> written_at, kind and op that wrote it, key, value; k<key> -> position (not of
--                   messages, whose key says it); s -> the positions below the row's `first`, kept by rebase
--   {ns:p}:i:<id>   message ids: 0<message_id> or 1<op_id> -> position and op
-- Positions from `first` on have no gaps (B3), so paging is counting; below it stand `kept` messages that a rebase
-- left.
-- SPDX-License-Identifier: Apache-2.0
local RECORD = '<dBBc0I2c0'
-- How many bytes of records a row holds: writing the row again costs hardly more then.
local INLINE = 512

local function inbox_key(position) return format('inbox:%020.0f', position) end
local function inbox_position(key)
  if #key == 26 and string.find(key, '^inbox:%d+$') then return tonumber(sub(key, 7)) end
end
local function field(position) return format('%.0f', position) end

local function read_record(position, packed)
  local written_at, kind, op, key, next = struct.unpack(RECORD, packed)
  local is_message = key == ''
  if is_message then key = inbox_key(position) end
  return {key = key, value = sub(packed, next), position = position, written_at = written_at, op = op, kind = kind,
    is_message = is_message}
end

-- What stands in the row, position by position from `first` on.
local function inline_records(row)
  local out, inline, at = {}, row.inline, 1
  while at <= #inline do out[#out + 1], at = struct.unpack('<I2c0', inline, at) end
  return out
end

-- Moves them to the hash, where others follow.
local function move_out(row)
  local values, fields = inline_records(row), {}
  for i = 1, #values do
    local position = field(row.first + i - 1)
    local record = read_record(0, values[i])
    fields[#fields + 1], fields[#fields + 2] = position, values[i]
    if not record.is_message then fields[#fields + 1], fields[#fields + 2] = 'k' .. record.key, position end
  end
  call('HSET', T .. 'r:' .. row.id, unpack(fields))
  row.inline = ''
end

-- The record of a key, or nil.
local function find_record(row, key)
  if row.records == 0 then return nil end
  if row.inline ~= '' then
    local all = inline_records(row)
    for i = 1, #all do
      local record = read_record(row.first + i - 1, all[i])
      if record.key == key then return record end
    end
    return nil
  end
  local records, position = T .. 'r:' .. row.id, inbox_position(key)
  if not position then position = tonumber(call('HGET', records, 'k' .. key) or nil) end
  local packed = position and call('HGET', records, field(position))
  if not packed then return nil end
  local record = read_record(position, packed)
  return record.key == key and record or nil
end

-- Adds a record that is not there: positions go on by one, the first above the floor (A1, B3); times never fall (A12).
-- key '' = a message. Answers position and written_at.
local function add_record(row, kind, op, key, value)
  local position, written_at = (row.position ~= 0 and row.position or floor) + 1, max(now, row.written_at)
  local packed = struct.pack(RECORD, written_at, kind, #op, op, #key, key) .. value
  local fits = #packed + #row.inline <= INLINE and (row.inline ~= '' or row.records == 0)
  if not fits and row.inline ~= '' then move_out(row) end
  if fits then
    row.inline = row.inline .. struct.pack('<I2', #packed) .. packed
  elseif key == '' then
    call('HSET', T .. 'r:' .. row.id, field(position), packed)
  else
    call('HSET', T .. 'r:' .. row.id, field(position), packed, 'k' .. key, field(position))
  end
  if key == '' then row.messages = row.messages + 1 end
  if row.records == row.kept then row.first = position end
  row.position, row.written_at, row.records = position, written_at, row.records + 1
  row.bytes = row.bytes + (key == '' and 26 or #key) + #value
  return position, written_at
end

-- The positions above `after`, in order, at most `limit` of them.
local function positions_after(row, after, limit)
  local out = {}
  if row.kept ~= 0 and after < row.first then
    local kept = call('HGET', T .. 'r:' .. row.id, 's')
    local at = 1
    while at <= #kept and #out < limit do
      local position
      position, at = struct.unpack('<d', kept, at)
      if position > after then out[#out + 1] = position end
    end
  end
  for position = max(after + 1, row.first), row.position do
    if #out >= limit then break end
    out[#out + 1] = position
  end
  return out
end

local function get_records(row, positions, from, upto)
  local fields = {}
  if row.inline ~= '' then
    local all = inline_records(row)
    for i = from, upto do fields[#fields + 1] = all[positions[i] - row.first + 1] end
    return fields
  end
  for i = from, upto do fields[#fields + 1] = field(positions[i]) end
  return call('HMGET', T .. 'r:' .. row.id, unpack(fields))
end

-- A page: {key, value, position, written_at, ...}, the bytes it holds, and whether there is more (B6).
local function load_page(row, after, limit, bytes, at_least_one)
  local out, used = {}, 0
  if row.records == 0 or after >= row.position then return out, 0, false end
  local positions = positions_after(row, after, limit)
  local chunk, last = row.bytes <= bytes and CHUNK or 1, after
  for from = 1, #positions, chunk do
    local upto = min(from + chunk - 1, #positions)
    local packed = get_records(row, positions, from, upto)
    for i = from, upto do
      local record = read_record(positions[i], packed[i - from + 1])
      local size = #record.key + #record.value
      if used + size > bytes and not (i == 1 and at_least_one) then return out, used, true end
      local n = #out
      out[n + 1], out[n + 2], out[n + 3], out[n + 4] = record.key, record.value, record.position, record.written_at
      used, last = used + size, record.position
    end
  end
  return out, used, last < row.position
end

-- B11: every record but messages above a position. Answers how many went.
local function erase_records(row, above)
  local key, before = T .. 'r:' .. row.id, row.records
  if row.messages == 0 then
    if row.inline == '' then call('UNLINK', key) end
    row.inline = ''
    row.records, row.bytes, row.kept, row.first = 0, 0, 0, 0
    return before
  end
  if row.inline ~= '' then move_out(row) end
  local positions, kept, bytes = positions_after(row, 0, row.records), {}, 0
  for i = 1, #positions do
    local record = read_record(positions[i], call('HGET', key, field(positions[i])))
    if inbox_position(record.key) and record.position > above then
      kept[#kept + 1] = struct.pack('<d', record.position)
      bytes = bytes + #record.key + #record.value
    else
      call('HDEL', key, field(record.position), 'k' .. record.key)
    end
  end
  row.records, row.messages, row.kept, row.bytes, row.first = #kept, #kept, #kept, bytes, 0
  if #kept == 0 then call('HDEL', key, 's') else call('HSET', key, 's', table.concat(kept)) end
  return before - #kept
end

-- discard and trim: in one step at a cost that does not grow; the server frees it in the background (B13).
local function drop_checkpoint(row)
  if row.position == 0 then return end
  call('UNLINK', T .. 'r:' .. row.id, T .. 'i:' .. row.id)
  row.position, row.first, row.records, row.bytes, row.messages, row.kept, row.written_at = 0, 0, 0, 0, 0, 0, 0
  row.inline = ''
end

-- Did this very operation write that record? 1 it did, 0 another one did, nil: its op_id names an operation of another
-- kind.
local function who_wrote(record, kind, op)
  if op == '' or op ~= record.op then return 0 end
  if record.kind == kind then return 1 end
end
