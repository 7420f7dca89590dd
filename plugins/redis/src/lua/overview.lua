-- list and stats: what an operator sees (contract S4, K7).
--
-- Of several partitions all are shown as of the moment at which the first was looked at: `at`, empty in the first.
--
-- list   at, prefix, after, limit, state (0 = any), queue (q before it, empty = any), idle_for (empty = any)
--   -> OK, has_next, next, now, {workflow, queue, error, state, due_at, records, number, live_until, finished_at,
--                           last_written_at, count, cancel_requested, ...}
-- stats  at, queue (q before it, empty = all)
--   -> OK, ready, delayed, in_flight, dead, workflows, finished, records, documents, bytes, oldest_ready (0 = none),
--      next_due (0 = none), now
-- SPDX-License-Identifier: Apache-2.0
function ops.list(a)
  flush()
  now = tonumber(ARGV[a]) or now
  local prefix, after, limit, state, queue, idle_for = ARGV[a + 1], ARGV[a + 2], tonumber(ARGV[a + 3]),
    tonumber(ARGV[a + 4]), ARGV[a + 5], tonumber(ARGV[a + 6])
  return page_of_keys('ids', prefix, after, limit, function(id, out)
    local row = look(id)
    if not row or not known(row) then return false end
    local is = listed_state(row)
    if state ~= 0 and state ~= is then return false end
    if queue ~= '' and sub(queue, 2) ~= row.queue then return false end
    if idle_for and (is ~= IDLE or leased(row) or row.touched_at > now - idle_for) then return false end
    local due = (row.wakeup == WAITING or row.wakeup == FLYING) and row.due or 0
    for _, value in ipairs({id, row.queue, row.error, is, due, row.records, row.number, leased(row) and row.alive or 0,
      row.finished_at, row.records ~= 0 and row.written_at or 0, row.count, row.cancel_requested}) do
      out[#out + 1] = value
    end
    return true
  end)
end

function ops.stats(a)
  flush()
  now = tonumber(ARGV[a]) or now
  local queues = ARGV[a + 1] == '' and call('SMEMBERS', T .. 'queues') or {sub(ARGV[a + 1], 2)}
  local ready, delayed, in_flight, dead, oldest, next_time = 0, 0, 0, 0, NO_TIMER, NO_TIMER
  for _, queue in ipairs(queues) do
    local of = index_counts(queue)
    ready, delayed, in_flight, dead = ready + of.ready, delayed + of.delayed, in_flight + of.in_flight, dead + of.dead
    oldest = min(oldest, of.oldest or NO_TIMER)
    next_time = min(next_time, of.next)
  end
  local all = counted()
  local documents = call('ZCARD', T .. 'dk') - call('ZCOUNT', T .. 'de', '-inf', now)
  return {OK, ready, delayed, in_flight, dead, all.workflows, all.finished, all.records, documents, all.bytes,
    oldest == NO_TIMER and 0 or oldest, next_time == NO_TIMER and 0 or next_time, now}
end
