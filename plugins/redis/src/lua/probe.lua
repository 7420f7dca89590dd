-- probe: may this user run what the scripts run? Found when a server is met, not by losing data (S5). A whole script.
--
-- Each command once, on a key that is gone in the end. Whatever else goes wrong here is no matter of permission.
-- KEYS[1]  {ns:p}:m      ARGV  a channel of this namespace
-- Reply    the commands that are refused, and what was said of each, one after the other
-- SPDX-License-Identifier: Apache-2.0
if redis.replicate_commands then redis.replicate_commands() end
local T, channel = string.sub(KEYS[1], 1, -2), ARGV[1]
local key = T .. '-'
local tries = {
  {'TIME'}, {'PUBLISH', channel, ''}, {'SCAN', '0', 'COUNT', '1'}, {'EXISTS', key},
  {'MSET', key, ''}, {'SET', key, ''}, {'GET', key}, {'MGET', key}, {'PEXPIRE', key, '1000'}, {'DUMP', key},
  {'PTTL', key}, {'MEMORY', 'USAGE', key},
  {'DEL', key},
  {'HSET', key, 'f', ''}, {'HGET', key, 'f'}, {'HMGET', key, 'f'}, {'HEXISTS', key, 'f'}, {'HDEL', key, 'f'},
  {'ZADD', key, '0', 'm'}, {'ZSCORE', key, 'm'}, {'ZCARD', key}, {'ZCOUNT', key, '0', '0'}, {'ZRANGE', key, '0', '0'},
  {'ZRANGEBYSCORE', key, '0', '0'}, {'ZRANGEBYLEX', key, '-', '+'}, {'ZSCAN', key, '0'}, {'ZPOPMIN', key},
  {'ZREM', key, 'm'},
  {'SADD', key, 'm'}, {'SMEMBERS', key}, {'SISMEMBER', key, 'm'}, {'SRANDMEMBER', key}, {'SREM', key, 'm'},
  --LOG--
  {'UNLINK', key},
}
local refused = {}
for _, try in ipairs(tries) do
  local reply = redis.pcall(unpack(try))
  local said = type(reply) == 'table' and reply.err or ''
  if string.find(said, 'NOPERM', 1, true) or string.find(said, 'The user executing the script', 1, true) then
    refused[#refused + 1], refused[#refused + 2] = try[1], said
  end
end
return refused
