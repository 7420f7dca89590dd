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

local HEAD = '<Bc0BI2c0'

-- Many operations: their rows are read at once, and receives know of each other.
local function look_through(names, given)
  local ids = {}
  for i = 1, #names do
    if OF_WORKFLOW[names[i]] then
      ids[#ids + 1] = given[i][1]
    elseif names[i] == 'receive' then
      upcoming = upcoming + 1
    end
  end
  if #ids > 1 then look_ahead(ids) end
end

local function main(keys, args)
  if not begin(keys) then return redis.status_reply('LOST') end
  local names, chained, given = {}, {}, {}
  for i = 1, #args do
    local form, at
    names[i], chained[i], form, at = struct.unpack(HEAD, args[i])
    given[i] = {struct.unpack(form, args[i], at)}
  end
  if #args > 1 then look_through(names, given) end
  local replies, before = {}, OK
  for i = 1, #args do
    local reply
    if chained[i] == 1 and before ~= OK then
      reply = {SKIPPED}
    else
      ARGV = given[i]
      local ran, answered = pcall(ops[names[i]], 1, #ARGV - 1) -- the last one is where unpacking ended
      reply = ran and answered or problem_of(answered)
    end
    before = reply[1]
    replies[i] = reply
  end
  flush()
  flush_counts()
  return replies
end
