-- prepare: lays out one partition, or looks whether it is (S1). A whole script.
--
-- KEYS[1]  {ns:p}:m
-- ARGV     schema, partitions, identity (16 random bytes), clock (manual, system, or empty: what is there), check_only,
--          the server's replication id (meet.lua), the plugin's name
-- Reply    {OK, migrated, epoch, identity, 1 = its clock is manual} | {UNPREPARED} | {UNSUPPORTED, schema} |
--          {INVALID, partitions} | {CONFLICT, clock} | {HELD, the plugin that laid it out}
-- SPDX-License-Identifier: Apache-2.0
if redis.replicate_commands then redis.replicate_commands() end
local key, schema, partitions, identity, clock, check_only = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3],
  ARGV[4], ARGV[5] ~= ''
local server, plugin = ARGV[6], ARGV[7]
local OK, HELD, CONFLICT, INVALID, UNSUPPORTED, UNPREPARED = 0, 5, 6, 8, 10, 11
local there = redis.call('HMGET', key, 'schema', 'partitions', 'epoch', 'identity', 'clock', 'plugin')
if there[1] then
  if tonumber(there[1]) > schema then return {UNSUPPORTED, there[1]} end
  if there[6] ~= plugin then return {HELD, there[6]} end
  if tonumber(there[2]) ~= partitions then return {INVALID, there[2]} end
  local has = there[5] and 'manual' or 'system'
  if clock ~= '' and clock ~= has then return {CONFLICT, has} end
  return {OK, 0, tonumber(there[3]), there[4], there[5] and 1 or 0}
end
if check_only then return {UNPREPARED} end
redis.call('HSET', key, 'schema', schema, 'partitions', partitions, 'epoch', 1, 'floor', 0, 'versions', 0, 'identity',
  identity, 'server', server, 'plugin', plugin)
if clock == 'manual' then
  local time = redis.call('TIME')
  redis.call('HSET', key, 'clock', string.format('%.0f', time[1] * 1000000 + time[2]))
end
return {OK, 1, 1, identity, clock == 'manual' and 1 or 0}
