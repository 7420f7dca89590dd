-- trim: removes what is finished and what is left over, in bounded steps (contract T).
--
-- trim  older_than, limit, work (items to look at, at most) -> OK, removed, work done, more
-- SPDX-License-Identifier: Apache-2.0
local SOME_QUEUES = 32

function ops.trim(a)
  call('DEL', T .. '-') -- see drain in main.lua
  flush()
  local older_than, left, work = tonumber(ARGV[a]), tonumber(ARGV[a + 1]), tonumber(ARGV[a + 2])
  local asked, removed, more = work, 0, false

  local function go(row)
    raise_floor(max(row.number, row.position, row.delivery))
    forget(row)
  end
  -- Its place in the index was a lower bound, or of another time.
  local function move(row)
    row.trim_class, row.trim_at = KEPT, 0
    place_for_trim(row)
    mark(row)
  end
  -- Each of an index up to a time, until judge answers false.
  local function each(class, before, judge)
    while work > 0 do
      local want = min(work, CHUNK)
      local ids = call('ZRANGEBYSCORE', T .. 't' .. class, '-inf', before, 'LIMIT', 0, want)
      for i = 1, #ids do
        local row = look(ids[i])
        if not row then
          call('ZREM', T .. 't' .. class, ids[i])
        elseif judge(row) == false then
          flush()
          return
        end
        work = work - 1
      end
      flush()
      if #ids < want then return end
    end
  end

  each(T_LEASED, now, move)
  local before = now - older_than
  each(T_FINISHED, before, function(row)
    if row.finished_at == 0 or row.wakeup ~= NOWHERE or leased(row) or row.touched_at > before then return move(row) end
    if left == 0 then
      more = true
      return false
    end
    left, removed = left - 1, removed + 1
    go(row)
  end)
  each(T_LEFTOVER, now, function(row)
    local over = row.wakeup == NOWHERE and row.records == 0 and row.finished_at == 0 and row.cancel_requested == 0
    if not over or leftover_until(row) > now then return move(row) end
    go(row)
  end)
  while work > 0 do
    local keys = call('ZRANGEBYSCORE', T .. 'de', '-inf', now - HUSK, 'LIMIT', 0, min(work, CHUNK))
    for _, key in ipairs(keys) do
      local document = find_document(key)
      if document and document.version > document_floor then
        document_floor = document.version
        call('HSET', KEYS[1], 'versions', document_floor)
      end
      call('UNLINK', T .. 'd:' .. key)
      call('ZREM', T .. 'dk', key)
      call('ZREM', T .. 'de', key)
      work = work - 1
    end
    if #keys < CHUNK then break end
  end
  -- Some of the queues' names: enough calls meet every one that is of no use any more (T6).
  for _, queue in ipairs(call('SRANDMEMBER', T .. 'queues', SOME_QUEUES)) do
    local unused = index_empty(queue)
    local went, log_more, no_log = log_trim(queue, max(min(work, CHUNK), 1), unused)
    work, more = work - went, more or log_more
    if unused and no_log then call('SREM', T .. 'queues', queue) end
  end
  return {OK, removed, asked - work, (more or work <= 0) and 1 or 0}
end
