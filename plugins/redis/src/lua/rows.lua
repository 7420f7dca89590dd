-- rows: looking at rows and writing them, once a script, with what counts and indexes them.
--
--   {ns:p}:w:<id>     the row                                    {ns:p}:ids   every id, score 0, for list
--   {ns:p}:t1 t2 t3   trim's indexes by time 
--   {ns:p}:v:<id>     channels of those who watch it; a hint, it expires
-- What a wakeup's indexes are, index.lua says; what log there is, the plugin: log_save, log_delivered, log_trim.
-- SPDX-License-Identifier: Apache-2.0
-- What is stored, for the difference at the end.
local function remember(row)
  row.was_key, row.was_score = index_of(row)
  row.was_put_off, row.was_queue, row.was_wakeup = row.put_off, row.queue, row.wakeup
  row.was_known, row.was_finished = known(row), row.finished_at ~= 0
  row.was_records, row.was_bytes = row.records, row.bytes
  row.was_class, row.was_at = row.trim_class, row.trim_at
end

local function adopt(id, packed)
  local row = read_row(id, packed)
  if row.epoch ~= epoch then bump_epoch(row) end
  remember(row)
  rows[id] = row
  return row
end

function look(id)
  local row = rows[id]
  if row == nil then
    local packed = call('GET', T .. 'w:' .. id)
    if packed then return adopt(id, packed) end
    rows[id] = false
  end
  return row or nil
end

-- Reads many rows at once. Those that are not there are left to look, which tells them from somebody's key of another
-- type.
local function look_ahead(ids)
  local wanted, keys, seen = {}, {}, {}
  for i = 1, #ids do
    local id = ids[i]
    if rows[id] == nil and not seen[id] then
      seen[id] = true
      wanted[#wanted + 1] = id
      keys[#keys + 1] = T .. 'w:' .. id
    end
  end
  if #wanted < 2 then return end
  for from = 1, #wanted, CHUNK do
    local found = call('MGET', unpack(keys, from, min(from + CHUNK - 1, #wanted)))
    for i = 1, #found do
      if found[i] then adopt(wanted[from + i - 1], found[i]) end
    end
  end
end

local function look_or_make(id)
  local row = look(id)
  if row then
    if not known(row) then row.touched_at = now end -- a husk begins anew
    return row
  end
  return new_row(id)
end

-- A changed row is written by flush.
function mark(row)
  rows[row.id] = row
  -- It may be due now, and no index says so yet.
  if row.due <= now and (row.wakeup == WAITING or row.wakeup == FLYING) then entered[row.queue] = true end
  if row.dirty then return end
  row.dirty = true
  dirty[#dirty + 1] = row
end
local function store(row)
  if row.happened_at < now then row.happened_at = now end
  place_for_trim(row)
  mark(row)
end

-- Tells those who watch a workflow (B14): of a new record, or that it is gone. A hint.
local function tell_watchers(id, what)
  local key = T .. 'v:' .. id
  local channels = call('SMEMBERS', key)
  if #channels == 0 then return end
  call('DEL', key)
  for _, channel in ipairs(channels) do call('PUBLISH', channel, what .. id) end
end

local function index_trim(row)
  if row.trim_class == row.was_class and row.trim_at == row.was_at then return end
  if row.was_class ~= KEPT and row.was_class ~= row.trim_class then index_take('t' .. row.was_class, row.id) end
  if row.trim_class ~= KEPT then index_add('t' .. row.trim_class, row.trim_at, row.id) end
end

-- The row last: should an index be somebody's key of another type, the script ends here and nothing counts.
local function save(row)
  log_save(row)
  index_save(row)
  index_trim(row)
  if row.fresh then
    index_add('ids', 0, row.id)
    row.fresh = nil
  end
  if values then
    values[#values + 1] = T .. 'w:' .. row.id
    values[#values + 1] = pack_row(row)
  else
    call('SET', T .. 'w:' .. row.id, pack_row(row))
  end
  local is_known, is_finished = known(row), row.finished_at ~= 0
  if is_known ~= (row.was_known or false) then count('workflows', is_known and 1 or -1) end
  if is_finished ~= (row.was_finished or false) then count('finished', is_finished and 1 or -1) end
  count('records', row.records - row.was_records)
  count('bytes', row.bytes - row.was_bytes)
  if watched and row.position ~= 0 and row.records ~= row.was_records then tell_watchers(row.id, 'v') end
  if row.discarded then
    if watched then tell_watchers(row.id, 'g') end
    row.discarded = nil
  end
  row.dirty = nil
  remember(row)
end

-- Writes what was changed. Whatever reads an index calls it first.
local function flush()
  if #dirty == 0 then return end
  local changed = dirty
  dirty, entered, fetched = {}, {}, {}
  if #changed == 1 then
    save(changed[1])
    return note_time()
  end
  adds, takes, values = {}, {}, {}
  for i = 1, #changed do save(changed[i]) end
  index_together()
  for i = 1, #values, 2 * CHUNK do call('MSET', unpack(values, i, min(i + 2 * CHUNK - 1, #values))) end
  adds, takes, values = nil, nil, nil
  note_time()
end

-- A1: what forgotten ids leave behind.
local function raise_floor(number)
  if number <= floor then return end
  floor = number
  call('HSET', KEYS[1], 'floor', number)
end

-- T: the row goes, and whatever hangs on it.
local function forget(row)
  call('UNLINK', T .. 'w:' .. row.id, T .. 'r:' .. row.id, T .. 'i:' .. row.id)
  call('ZREM', T .. 'ids', row.id)
  if row.was_class ~= KEPT then call('ZREM', T .. 't' .. row.was_class, row.id) end
  index_forget(row)
  if row.was_known then count('workflows', -1) end
  if row.was_finished then count('finished', -1) end
  count('records', -row.was_records)
  count('bytes', -row.was_bytes)
  if watched then tell_watchers(row.id, 'g') end
  rows[row.id] = false
end

-- An op_id that is remembered here for another operation.
local function reused() return {INVALID, 'reused'} end
