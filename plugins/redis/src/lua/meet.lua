-- meet: what a process does with a server that it has not met before it does anything else (S2). A whole script.
--
-- The server's replication id changes with every promotion and with every restart. After a promotion, and after a
-- restart of a server that does not sync each write, acknowledged writes may be missing: then a new epoch begins.
-- Fences and receipts of an older one are nobody's (bump_epoch in state.lua), deliveries in flight are ready again.
--
-- KEYS[1]  {ns:p}:m
-- ARGV     replication id, the one before (after a promotion), 1 = a restart loses nothing
-- Reply    {OK, epoch, 1 = it began now} | LOST: there is no such partition
-- SPDX-License-Identifier: Apache-2.0
if redis.replicate_commands then redis.replicate_commands() end
local key, id, before, lossless = KEYS[1], ARGV[1], ARGV[2], ARGV[3] ~= ''
local call, OK = redis.call, 0
local T = string.sub(key, 1, -2)
local meta = call('HMGET', key, 'epoch', 'server', 'clock', 'counts')
if not meta[1] then return redis.status_reply('LOST') end
local epoch, met = tonumber(meta[1]), meta[2]
if met == id then return {OK, epoch, 0} end
call('HSET', key, 'server', id)
if not met or (lossless and before ~= met) then return {OK, epoch, 0} end
call('HSET', key, 'epoch', epoch + 1)
local now = tonumber(meta[3])
if not now then
  local time = call('TIME')
  now = time[1] * 1000000 + time[2]
end
--INDEX--
local has = read_counts(meta[4])
for _, queue in ipairs(call('SMEMBERS', T .. 'queues')) do has.aside = has.aside - take_back_all(queue, now) end
call('HSET', key, 'counts', pack_counts(has))
return {OK, epoch + 1, 1}
