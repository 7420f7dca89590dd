-- bells: who waits for a queue, and ringing one of them (W4, W5). Hints: all of it expires, nothing depends on it.
--
--   {ns:p}:b:<queue>   sorted set: channels of processes with an idle receiver, by when they began to wait
--   {ns:p}:a:<queue>   when the first of them looks by itself; absent = nobody waits
-- A process is taken out when it is rung and comes back, to its old place, with its next look. The first keeps the
-- timer: an entry that is due before it looks rings it.
-- SPDX-License-Identifier: Apache-2.0
local HINT_MS, NO_TIMER = 15000, 9e15

local function ring(queue)
  local bells = T .. 'b:' .. queue
  armed[queue] = nil
  while true do
    local first = call('ZPOPMIN', bells)
    if not first[1] then
      call('DEL', T .. 'a:' .. queue)
      return
    end
    if call('PUBLISH', first[1], 'q' .. queue) ~= 0 then return end -- else it is gone: the next one
  end
end

-- An entry of the queue's index was put at, or moved to, this time.
local function ring_for(queue, at)
  local looks = armed[queue]
  if looks == nil then
    looks = tonumber(call('GET', T .. 'a:' .. queue) or nil) or false
    armed[queue] = looks
  end
  if looks and (at <= now or at < looks) then ring(queue) end
end

-- Registers a channel; answers when it shall look by itself, NO_TIMER where another one keeps the timer.
local function wait_in_line(queue, channel, since, next_due)
  local bells, timer = T .. 'b:' .. queue, T .. 'a:' .. queue
  armed[queue] = nil
  call('ZADD', bells, since, channel)
  call('PEXPIRE', bells, HINT_MS)
  if call('ZRANGE', bells, 0, 0)[1] == channel then
    call('SET', timer, next_due, 'PX', HINT_MS)
    return next_due
  end
  if call('PEXPIRE', timer, HINT_MS) == 0 then call('SET', timer, NO_TIMER, 'PX', HINT_MS) end
  return NO_TIMER
end

-- Nobody of that process waits any more. Who is first then inherits the timer.
local function leave_line(queue, channel)
  local bells = T .. 'b:' .. queue
  local first = call('ZRANGE', bells, 0, 0)[1]
  if call('ZREM', bells, channel) == 0 then return end
  if first == channel then ring(queue) end
end
