-- transact: an effect and its record, together or not at all (contract E).
--
-- transact  workflow, number, stamp, key, op, speaks, text, number of keys, keys ..., parameters ...
--   -> OK, ran, position, written_at, value | FENCED | UNSUPPORTED | EFFECT_FAILED, text | INVALID
-- The effect is a Lua body with KEYS and ARGV of its own. Scripts do not roll back: what its keys hold is kept aside
-- (DUMP) before it runs, and put back when it fails (E4). So it writes nothing but keys that it declares, none of this
-- store's, and none larger than LARGEST; and it runs no command that a key does not name.
-- SPDX-License-Identifier: Apache-2.0
local LARGEST = 1048576

local function failed(text) return {EFFECT_FAILED, text} end

local function keep_aside(keys)
  local kept = {}
  for i, key in ipairs(keys) do
    if sub(key, 1, #T) == T then return nil, 'the key ' .. key .. ' is of this store' end
    local size = call('MEMORY', 'USAGE', key, 'SAMPLES', 5)
    if size and size > LARGEST then return nil, 'the key ' .. key .. ' is too large to be kept aside' end
    kept[i] = {key, call('DUMP', key), call('PTTL', key)}
  end
  return kept
end

local function put_back(kept)
  for _, was in ipairs(kept) do
    local key, dumped, ttl = was[1], was[2], was[3]
    if dumped then
      call('RESTORE', key, ttl > 0 and ttl or 0, dumped, 'REPLACE')
    else
      call('DEL', key)
    end
  end
end

local function guarded(declared, how)
  return function(...)
    local keys = redis.pcall('COMMAND', 'GETKEYS', ...)
    if type(keys) ~= 'table' or keys.err then
      error('the command ' .. tostring((...)) .. ' names no key: what it does could not be undone')
    end
    for _, key in ipairs(keys) do
      if not declared[key] then error('the key ' .. key .. ' is not declared') end
    end
    return how(...)
  end
end

local function text_of(problem)
  if type(problem) == 'table' then return tostring(problem.err) end
  return tostring(problem)
end

-- Answers the value, or nil and why there is none; then nothing of the effect is left.
local function run_effect(text, keys, params)
  local body, problem = loadstring('local KEYS, ARGV, redis = ... ' .. text, '@effect')
  if not body then return nil, problem end
  local kept, refused = keep_aside(keys)
  if not kept then return nil, refused end
  local declared, lent = {}, {}
  for _, key in ipairs(keys) do declared[key] = true end
  for name, value in pairs(redis) do lent[name] = value end
  lent.call, lent.pcall = guarded(declared, redis.call), guarded(declared, redis.pcall)
  local ran, value = pcall(body, keys, params, lent)
  if ran and type(value) == 'string' then return value end
  put_back(kept)
  if not ran then return nil, text_of(value) end
  if type(value) == 'table' and value.err then return nil, value.err end
  return nil, 'an effect answers text, and this one answered a ' .. type(value)
end

function ops.transact(a, n)
  local workflow, number, stamp, key, op, speaks, text, n_keys = ARGV[a], tonumber(ARGV[a + 1]), ARGV[a + 2],
    ARGV[a + 3], ARGV[a + 4], ARGV[a + 5] ~= '', ARGV[a + 6], tonumber(ARGV[a + 7])
  local row = look(workflow)
  local there = row and find_record(row, key)
  if there then
    local mine = who_wrote(there, TRANSACT, op)
    if not mine then return reused() end
    if mine == 1 then return {OK, 1, there.position, there.written_at, there.value} end
  end
  if not speaks then return {UNSUPPORTED} end
  if not row or not fence_current(row, number, stamp) then return {FENCED} end
  local reply
  if there then -- E2
    reply = {OK, 0, there.position, there.written_at, there.value}
  else
    local keys, params = {}, {}
    for i = a + 8, a + 7 + n_keys do keys[#keys + 1] = ARGV[i] end
    for i = a + 8 + n_keys, a + n - 1 do params[#params + 1] = ARGV[i] end
    local value, problem = run_effect(text, keys, params)
    if not value then return failed(problem) end
    local position, written_at = add_record(row, TRANSACT, op, key, value)
    reply = {OK, 1, position, written_at, value}
  end
  sign_of_life(row)
  row.touched_at = now
  store(row)
  return reply
end
