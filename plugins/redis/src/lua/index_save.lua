-- index_save: keeps the sorted sets in step with a row, and finds in them what is due.
--
-- SPDX-License-Identifier: Apache-2.0
local function list_of(lists, key)
  local list = lists[key]
  if not list then
    list = {}
    lists[key] = list
  end
  return list
end

-- At once, or, while many rows are saved, together with those of the other rows.
local function index_add(key, score, id)
  if adds then
    local list = list_of(adds, key)
    list[#list + 1] = score
    list[#list + 1] = id
    return
  end
  local added = call('ZADD', T .. key, score, id)
  if ASIDE[sub(key, 1, 1)] then count('aside', added) end
end
local function index_take(key, id)
  if takes then
    local list = list_of(takes, key)
    list[#list + 1] = id
    return
  end
  local taken = call('ZREM', T .. key, id)
  if ASIDE[sub(key, 1, 1)] then count('aside', -taken) end
end

-- Adding comes first: should one be somebody's key of another type, the script ends there, and what is in the indexes
-- besides is taken away where it is met. So nothing is taken from where it was added.
local function index_together()
  for key, list in pairs(adds) do
    local added = 0
    for i = 1, #list, 2 * CHUNK do
      added = added + call('ZADD', T .. key, unpack(list, i, min(i + 2 * CHUNK - 1, #list)))
    end
    if ASIDE[sub(key, 1, 1)] then count('aside', added) end
  end
  for key, list in pairs(takes) do
    local taken = 0
    for i = 1, #list, CHUNK do
      taken = taken + call('ZREM', T .. key, unpack(list, i, min(i + CHUNK - 1, #list)))
    end
    if ASIDE[sub(key, 1, 1)] then count('aside', -taken) end
  end
end

local function index_remove(row, kept)
  local was_key = row.was_key
  if not was_key then return end
  if was_key ~= kept then index_take(was_key, row.id) end
  if row.was_put_off == 0 then return end
  local sibling = SIBLING[sub(was_key, 1, 1)] .. sub(was_key, 2)
  if sibling ~= kept then index_take(sibling, row.id) end
end
local function index_forget(row) index_remove(row, nil) end

local function index_save(row)
  local key, score = index_of(row)
  local was_key = row.was_key
  if key == was_key and score == row.was_score and row.put_off == row.was_put_off then return end
  if was_key and (was_key ~= key or row.was_put_off == 1) then index_remove(row, key) end
  if not key then return end
  index_add(key, score, row.id)
  if not was_key or row.was_queue ~= row.queue then
    if not named[row.queue] then call('SADD', T .. 'queues', row.queue) end
    named[row.queue] = true
  end
  if row.wakeup ~= BURIED then ring_for(row.queue, row.due) end
end

-- What was put off until now goes on under the time by which it keeps its place.
local function ripen(put_off, to, queue)
  local ids = call('ZRANGEBYSCORE', T .. put_off .. queue, '-inf', now, 'LIMIT', 0, CHUNK)
  for i = 1, #ids do
    local row = look(ids[i])
    index_take(put_off .. queue, ids[i])
    if row and row.queue == queue then index_add(to .. queue, place(row), ids[i]) end
  end
end

-- At most n ids of a queue that are due, earliest first (W7), as the indexes say: rows that are not saved yet may have
-- gone from there.
local function due_ids(queue, n)
  if counted().aside ~= 0 then
    ripen('p:', 'q:', queue)
    ripen('g:', 'f:', queue)
  end
  local waiting = call('ZRANGEBYSCORE', T .. 'q:' .. queue, '-inf', now, 'WITHSCORES', 'LIMIT', 0, n)
  local flying = call('ZRANGEBYSCORE', T .. 'f:' .. queue, '-inf', now, 'WITHSCORES', 'LIMIT', 0, n)
  local out, w, f = {}, 1, 1
  while #out < n and (w <= #waiting or f <= #flying) do
    if f > #flying or (w <= #waiting and tonumber(waiting[w + 1]) <= tonumber(flying[f + 1])) then
      out[#out + 1], w = waiting[w], w + 2
    else
      out[#out + 1], f = flying[f], f + 2
    end
  end
  return out
end

-- An entry that its row does not bear out. The row, where there is one, is put where it belongs when it is saved.
local function index_heal(queue, id)
  for _, kind in ipairs({'q:', 'f:', 'p:', 'g:'}) do index_take(kind .. queue, id) end
  local row = look(id)
  if row then row.was_key = nil end
end

-- When the next entry of a queue that is not due yet can be delivered, NO_TIMER where there is none.
local function next_due(queue)
  local least, after = NO_TIMER, format('(%.0f', now)
  for i = 1, counted().aside ~= 0 and 4 or 2 do
    local kind = KINDS[i]
    local first = call('ZRANGEBYSCORE', T .. kind .. queue, after, '+inf', 'WITHSCORES', 'LIMIT', 0, 1)
    if first[2] then least = min(least, tonumber(first[2])) end
  end
  return least
end

-- Ids of the deliveries that a receive handed out and that are still current. Looks at all that is in flight: rare.
local function in_flight_of(nonce)
  local out = {}
  for _, queue in ipairs(call('SMEMBERS', T .. 'queues')) do
    for _, kind in ipairs({'f:', 'g:'}) do
      for _, id in ipairs(call('ZRANGE', T .. kind .. queue, 0, -1)) do
        local row = look(id)
        if row and row.wakeup == FLYING and row.receive == nonce then out[#out + 1] = id end
      end
    end
  end
  return out
end

-- ready, delayed, in_flight, dead, oldest (of the ready ones), next (due later), of one queue. A set that is not there
-- costs one look.
local function index_counts(queue)
  local out = {ready = 0, delayed = 0, in_flight = 0, dead = call('ZCARD', T .. 'x:' .. queue), next = NO_TIMER}
  local after = format('(%.0f', now)
  for _, kind in ipairs(KINDS) do
    local key = T .. kind .. queue
    local all = call('ZCARD', key)
    if all ~= 0 then
      local later_on = call('ZCOUNT', key, after, '+inf')
      if later_on ~= 0 then
        local first = call('ZRANGEBYSCORE', key, after, '+inf', 'WITHSCORES', 'LIMIT', 0, 1)
        out.next = min(out.next, tonumber(first[2]))
      end
      if kind == 'f:' or kind == 'g:' then
        out.in_flight = out.in_flight + all
      else
        out.ready, out.delayed = out.ready + all - later_on, out.delayed + later_on
      end
    end
  end
  if out.ready == 0 then return out end
  local first = call('ZRANGEBYSCORE', T .. 'q:' .. queue, '-inf', now, 'WITHSCORES', 'LIMIT', 0, 1)
  out.oldest = tonumber(first[2] or NO_TIMER)
  for _, id in ipairs(call('ZRANGEBYSCORE', T .. 'p:' .. queue, '-inf', now, 'LIMIT', 0, CHUNK)) do
    out.oldest = min(out.oldest, place(look(id)))
  end
  return out
end

local function index_empty(queue)
  return call('EXISTS', T .. 'q:' .. queue, T .. 'f:' .. queue, T .. 'p:' .. queue, T .. 'g:' .. queue,
    T .. 'x:' .. queue) == 0
end
