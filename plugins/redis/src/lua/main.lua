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

-- Operations whose first argument is a workflow.
local OF_WORKFLOW = {acquire = true, renew = true, release = true, load = true, record = true, supply = true,
  append = true, transact = true, rebase = true, discard = true, request_cancel = true, enqueue = true, cancel = true,
  extend = true, ack = true, snooze = true, nack = true, reject = true}

-- Many operations: their rows are read at once, and receives know of each other.
local function look_through(args)
  local ids, at = {}, 1
  while at <= #args do
    local kind = args[at]
    if OF_WORKFLOW[kind] then
      ids[#ids + 1] = args[at + 2]
    elseif kind == 'receive' then
      upcoming = upcoming + 1
    end
    at = at + 2 + math.abs(tonumber(args[at + 1]))
  end
  if #ids > 1 then look_ahead(ids) end
end

local function main(keys, args)
  if not begin(keys, args) then return redis.status_reply('LOST') end
  if math.abs(tonumber(args[2])) + 2 < #args then look_through(args) end
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
