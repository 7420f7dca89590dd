-- advance: moves a manual clock (A14).
--
-- advance  by, channel of the clock -> OK, store_time | UNSUPPORTED | INVALID
-- SPDX-License-Identifier: Apache-2.0
function ops.advance(a)
  local by, channel = tonumber(ARGV[a]), ARGV[a + 1]
  if not meta[3] then return {UNSUPPORTED} end
  if now + by > LAST then return {INVALID, 'clock'} end
  now = now + by
  call('HSET', KEYS[1], 'clock', format('%.0f', now))
  call('PUBLISH', channel, 'c')
  return {OK, now}
end
