-- examine: do the indexes say what the rows say? For `stile doctor`; rows are the truth, and what they do not bear out
-- is mended where that is asked for. One page a call; the caller goes through all of them (examine.cpp).
--
-- examine_keys    cursor, mend                -> OK, cursor, {FINDING ...}, {name of an index ...}
-- examine_rows    after, mend                 -> OK, after (empty = the end), {FINDING ...}, known, finished, records,
--                                                bytes
-- examine_index   name, cursor, mend          -> OK, cursor, {FINDING ...}
-- examine_counts  known, finished, records, bytes, counts as they were before (empty = tell them), mend
--                                             -> OK, counts, {FINDING ...}
-- FINDING is a text and whether it was mended: two elements.
-- SPDX-License-Identifier: Apache-2.0
local PLACES = {'q:', 'f:', 'p:', 'g:', 'x:'}
local STATE_OF = {[NOWHERE] = 'without a wakeup', [WAITING] = 'waiting', [FLYING] = 'in flight', [BURIED] = 'dead'}
local KIND_OF = {q = WAITING, p = WAITING, f = FLYING, g = FLYING, x = BURIED}

local function new_report(mend)
  local found = {}
  return found, function(text, mendable, how)
    local mended = mend and mendable
    found[#found + 1], found[#found + 2] = text, mended and 1 or 0
    if mended then how() end
  end
end
local function in_index(name, member) return call('ZSCORE', T .. name, member) end

local function examine_key(rest, tell)
  local kind, id = sub(rest, 1, 2), sub(rest, 3)
  if kind == 'w:' and not in_index('ids', id) then
    tell('workflow ' .. id .. ' is in no list of workflows', true, function() call('ZADD', T .. 'ids', 0, id) end)
  elseif kind == 'd:' and not in_index('dk', id) then
    tell('document ' .. id .. ' is in no list of documents', true, function() call('ZADD', T .. 'dk', 0, id) end)
  elseif kind == 'd:' and tonumber(in_index('de', id) or 0) ~= gone_at(find_document(id)) then
    tell('document ' .. id .. ' is not where trim looks for it', true, function()
      call('ZREM', T .. 'de', id)
      local at = gone_at(find_document(id))
      if at ~= 0 then call('ZADD', T .. 'de', at, id) end
    end)
  elseif (kind == 'r:' or kind == 'i:') and call('EXISTS', T .. 'w:' .. id) == 0 then
    tell('workflow ' .. id .. ' has records and no row: it was lost', false)
  end
end

function ops.examine_keys(a)
  flush()
  local found, tell = new_report(ARGV[a + 1] ~= '')
  local names = {}
  local page = call('SCAN', ARGV[a], 'MATCH', T .. '*', 'COUNT', CHUNK)
  for _, key in ipairs(page[2]) do
    local rest = sub(key, #T + 1)
    if KIND_OF[sub(rest, 1, 1)] and sub(rest, 2, 2) == ':' or string.find(rest, '^t[123]$') or rest == 'de' then
      names[#names + 1] = rest
    else
      examine_key(rest, tell)
    end
  end
  return {OK, page[1], found, names}
end

-- Where a row may stand: nothing else than what it says; put off, on either side of the end of that (index.lua).
local function well_placed(row, kind, score)
  if row.put_off == 1 then
    if kind == 'p:' or kind == 'g:' then return score == row.due end
    return score == row.since
  end
  return kind == 'x:' or score == row.due
end

local function examine_place(row, bumped, tell)
  local there, right = 0, false
  for _, kind in ipairs(PLACES) do
    local score = in_index(kind .. row.queue, row.id)
    if score then
      there = there + 1
      right = KIND_OF[sub(kind, 1, 1)] == row.wakeup and (bumped or well_placed(row, kind, tonumber(score)))
    end
  end
  if there == (row.wakeup == NOWHERE and 0 or 1) and (right or there == 0) then return end
  tell('workflow ' .. row.id .. ' is ' .. STATE_OF[row.wakeup] .. ', and its queue says otherwise', true, function()
    for _, kind in ipairs(PLACES) do call('ZREM', T .. kind .. row.queue, row.id) end
    local key, score = index_of(row)
    if key then call('ZADD', T .. key, score, row.id) end
  end)
end

local function examine_row(row, bumped, tell)
  examine_place(row, bumped, tell)
  if row.wakeup ~= NOWHERE and call('SISMEMBER', T .. 'queues', row.queue) == 0 then
    tell('queue ' .. row.queue .. ' is in no list of queues', true,
      function() call('SADD', T .. 'queues', row.queue) end)
  end
  for class = T_FINISHED, T_LEFTOVER do
    local score = in_index('t' .. class, row.id)
    if (class == row.trim_class) ~= (score and tonumber(score) == row.trim_at or false) then
      tell('workflow ' .. row.id .. ' is not where trim looks for it', true, function()
        call('ZREM', T .. 't' .. class, row.id)
        if class == row.trim_class then call('ZADD', T .. 't' .. class, row.trim_at, row.id) end
      end)
    end
  end
  if row.inline == '' and row.records > row.kept and
    call('HEXISTS', T .. 'r:' .. row.id, format('%.0f', row.position)) == 0 then
    tell('workflow ' .. row.id .. ' has lost records', false)
  end
end

function ops.examine_rows(a)
  flush()
  local after, found, tell = ARGV[a], new_report(ARGV[a + 1] ~= '')
  local tally = {0, 0, 0, 0}
  local ids = call('ZRANGEBYLEX', T .. 'ids', after == '' and '-' or '(' .. after, '+', 'LIMIT', 0, CHUNK)
  for _, id in ipairs(ids) do
    local packed = call('GET', T .. 'w:' .. id)
    if not packed then
      tell('workflow ' .. id .. ' is listed and has no row', true, function() call('ZREM', T .. 'ids', id) end)
    else
      local row = read_row(id, packed)
      local bumped = row.epoch ~= epoch
      row = look(id)
      examine_row(row, bumped, tell)
      tally[1], tally[2] = tally[1] + (known(row) and 1 or 0), tally[2] + (row.finished_at ~= 0 and 1 or 0)
      tally[3], tally[4] = tally[3] + row.records, tally[4] + row.bytes
    end
  end
  return {OK, #ids == CHUNK and ids[#ids] or '', found, tally[1], tally[2], tally[3], tally[4]}
end

-- Does the row, or the document, that an entry is about bear it out?
local function borne_out(name, member)
  if name == 'de' then
    local document = find_document(member)
    return document and (document.erased_at ~= 0 or document.expires_at ~= 0)
  end
  local row = look(member)
  if not row then return false end
  local class = string.match(name, '^t(%d)$')
  if class then return row.trim_class == tonumber(class) end
  return row.wakeup == KIND_OF[sub(name, 1, 1)] and row.queue == sub(name, 3)
end

function ops.examine_index(a)
  flush()
  local name, found, tell = ARGV[a], new_report(ARGV[a + 2] ~= '')
  local page = call('ZSCAN', T .. name, ARGV[a + 1], 'COUNT', CHUNK)
  for i = 1, #page[2], 2 do
    local member = page[2][i]
    if not borne_out(name, member) then
      tell('the index ' .. name .. ' names ' .. member .. ', which does not bear it out', true,
        function() call('ZREM', T .. name, member) end)
    end
  end
  return {OK, page[1], found}
end

function ops.examine_counts(a)
  flush()
  flush_counts()
  local found, tell = new_report(ARGV[a + 5] ~= '')
  local stands = call('HGET', KEYS[1], 'counts') or ''
  if ARGV[a + 4] ~= 'c' .. stands then return {OK, 'c' .. stands, found} end -- the first look, or somebody is at work
  local is = read_counts(stands ~= '' and stands or nil)
  local want = {workflows = tonumber(ARGV[a]), finished = tonumber(ARGV[a + 1]), records = tonumber(ARGV[a + 2]),
    bytes = tonumber(ARGV[a + 3]), aside = 0}
  for _, queue in ipairs(call('SMEMBERS', T .. 'queues')) do
    want.aside = want.aside + call('ZCARD', T .. 'p:' .. queue) + call('ZCARD', T .. 'g:' .. queue)
  end
  for field, number in pairs(want) do
    if is[field] ~= number then
      tell('the count of ' .. field .. ' is ' .. is[field] .. ' and should be ' .. number, true,
        function() call('HSET', KEYS[1], 'counts', pack_counts(want)) end)
    end
  end
  return {OK, 'c' .. stands, found}
end
