-- index_meet: for meet. Every delivery of a queue is ready again; its row says so when it is next looked at. Answers
-- how many entries of the indexes that are seldom used went (counts.lua).
--
-- SPDX-License-Identifier: Apache-2.0
local function take_back_all(queue, now)
  local put_off = call('ZCARD', T .. 'g:' .. queue)
  for _, kind in ipairs({'f:', 'g:'}) do
    local flying = T .. kind .. queue
    local ids = call('ZRANGE', flying, 0, -1)
    for i = 1, #ids do call('ZADD', T .. 'q:' .. queue, now, ids[i]) end
    call('DEL', flying)
  end
  return put_off
end
