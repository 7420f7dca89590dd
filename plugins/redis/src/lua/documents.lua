-- get, put, erase, scan (contract K).
--
--   {ns:p}:d:<key>   h -> version, expiry, time of erasure and the last 8 puts and erases; v -> value
--   {ns:p}:dk        every key, score 0, for scan              {ns:p}:de   when it went or will go, for trim
--
-- get    key                                                  -> OK, value, version, expires_at | NOT_FOUND
-- put    key, condition, version, ttl, value, op              -> OK, version | CONFLICT [, version, value] | INVALID
-- erase  key, condition, version, op                          -> OK, removed | CONFLICT [, version, value] | INVALID
-- scan   at (overview.lua), prefix, after, limit             -> OK, has_next, next, now,
--                                                               {key, version, expires_at, ...}
-- Conditions and ttl are the ABI's numbers: 0 any, 1 absent, 2 version; 0 none, -1 keep.
-- SPDX-License-Identifier: Apache-2.0
local MEMORY = 8

local function find_document(key)
  local packed = call('HGET', T .. 'd:' .. key, 'h')
  if not packed then return nil end
  local version, expires_at, erased_at, n, at = struct.unpack('<dddB', packed)
  local document = {key = key, version = version, expires_at = expires_at, erased_at = erased_at}
  for i = 1, n do
    local send = {}
    send.kind, send.removed, send.version, send.op, at = struct.unpack('<BBdBc0', packed, at)
    document[i] = send
  end
  return document
end

local function live(document)
  return document and document.erased_at == 0 and (document.expires_at == 0 or now < document.expires_at) and
    document.version ~= 0
end
local function value_of(key) return call('HGET', T .. 'd:' .. key, 'v') end
local function version_text(version) return format('%.0f', version) end

-- When it went or will go; 0 = it stays.
local function gone_at(document) return document.erased_at ~= 0 and document.erased_at or document.expires_at end

-- Writes a document, and remembers what did so (K3).
local function save_document(document, value, kind, op, version, removed)
  if #document == MEMORY then table.remove(document, 1) end
  document[#document + 1] = {kind = kind, removed = removed, version = version, op = op}
  local packed = {struct.pack('<dddB', document.version, document.expires_at, document.erased_at, #document)}
  for i = 1, #document do
    local send = document[i]
    packed[i + 1] = struct.pack('<BBdBc0', send.kind, send.removed, send.version, #send.op, send.op)
  end
  local key = document.key
  if value then
    call('HSET', T .. 'd:' .. key, 'h', table.concat(packed), 'v', value)
  else
    call('HSET', T .. 'd:' .. key, 'h', table.concat(packed))
    call('HDEL', T .. 'd:' .. key, 'v')
  end
  if document.fresh then call('ZADD', T .. 'dk', 0, key) end
  local at = gone_at(document)
  if at ~= 0 then
    call('ZADD', T .. 'de', at, key)
  elseif not document.fresh then
    call('ZREM', T .. 'de', key)
  end
end

local function sent_before(document, op)
  if not document or op == '' then return nil end
  for i = 1, #document do
    if document[i].op == op then return document[i] end
  end
end

local function make_document(key) return {key = key, version = 0, expires_at = 0, erased_at = 0, fresh = true} end

local function conflict(document)
  if not live(document) then return {CONFLICT} end
  return {CONFLICT, version_text(document.version), value_of(document.key)}
end

function ops.get(a)
  local document = find_document(ARGV[a])
  if not live(document) then return {NOT_FOUND} end
  return {OK, value_of(document.key), version_text(document.version), document.expires_at}
end

function ops.put(a)
  local key, condition, version, ttl, value, op = ARGV[a], ARGV[a + 1], ARGV[a + 2], tonumber(ARGV[a + 3]), ARGV[a + 4],
    ARGV[a + 5]
  local document = find_document(key)
  local was = sent_before(document, op)
  if was then
    if was.kind ~= PUT then return reused() end
    return {OK, version_text(was.version)}
  end
  local there = live(document)
  if condition == 1 and there then return conflict(document) end
  if condition == 2 and not (there and version_text(document.version) == version) then return conflict(document) end
  document = document or make_document(key)
  if ttl ~= -1 then
    document.expires_at = ttl == 0 and 0 or later(ttl)
  elseif not there then
    document.expires_at = 0 -- K5: there is no expiry to keep
  end
  document.version = (document.version ~= 0 and document.version or document_floor) + 1
  document.erased_at = 0
  save_document(document, value, PUT, op, document.version, 0)
  return {OK, version_text(document.version)}
end

function ops.erase(a)
  local key, condition, version, op = ARGV[a], ARGV[a + 1], ARGV[a + 2], ARGV[a + 3]
  local document = find_document(key)
  local was = sent_before(document, op)
  if was then
    if was.kind ~= ERASE then return reused() end
    return {OK, was.removed}
  end
  local there = live(document)
  if condition == 2 and not (there and version_text(document.version) == version) then return conflict(document) end
  -- An erase that met nothing is remembered too: its late second send must not take away what was put since (K3).
  if not there and op == '' then return {OK, 0} end
  document = document or make_document(key)
  document.expires_at, document.erased_at = 0, now
  save_document(document, nil, ERASE, op, 0, there and 1 or 0)
  return {OK, there and 1 or 0}
end

function ops.scan(a)
  now = tonumber(ARGV[a]) or now
  local prefix, after, limit = ARGV[a + 1], ARGV[a + 2], tonumber(ARGV[a + 3])
  return page_of_keys('dk', prefix, after, limit, function(key, out)
    local document = find_document(key)
    if not live(document) then return false end
    local n = #out
    out[n + 1], out[n + 2], out[n + 3] = key, version_text(document.version), document.expires_at
    return true
  end)
end
