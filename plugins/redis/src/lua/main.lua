-- main: does the operations in their order, each by itself, and writes what they changed (R3).
--
-- SPDX-License-Identifier: Apache-2.0
local function problem_of(raised)
  local text = type(raised) == 'table' and tostring(raised.err) or tostring(raised)
  if string.find(text, 'OOM', 1, true) then return {15, text} end
  return {CORRUPT, text}
end

-- On a full server scripts may write once they have written: what frees memory, or somebody, begins with a write that
-- needs none.
function ops.drain() call('DEL', T .. '-') return {OK} end

local function main(keys, args)
  if not begin(keys, args) then return redis.status_reply('LOST') end
  local replies, at, before = {}, 1, OK
  while at <= #args do
    local kind, n = args[at], tonumber(args[at + 1])
    local reply
    if n < 0 and before ~= OK then
      reply = {SKIPPED}
    else
      local ran, answered = pcall(ops[kind], at + 2, math.abs(n))
      reply = ran and answered or problem_of(answered)
    end
    before = reply[1]
    replies[#replies + 1] = reply
    at = at + 2 + math.abs(n)
  end
  flush()
  flush_counts()
  return replies
end
