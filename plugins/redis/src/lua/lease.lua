-- acquire, renew, release (contract A).
--
-- acquire  workflow, ttl, budget, force, nonce (the op_id, else fresh)
--          -> OK, number, stamp, live_until, budget_until, cancel_requested | HELD, live_until, now | INVALID
-- renew    workflow, number, stamp, ttl, budget (empty = leave)
--          -> OK, live_until, budget_until, cancel_requested | FENCED | LAPSED
-- release  workflow, number, stamp
--          -> OK | FENCED
-- SPDX-License-Identifier: Apache-2.0
local function granted(row) return {OK, row.number, row.stamp, row.alive, row.budget, row.cancel_requested} end

function ops.acquire(a)
  local workflow, ttl, budget, force, nonce = ARGV[a], tonumber(ARGV[a + 1]), tonumber(ARGV[a + 2]), ARGV[a + 3],
    ARGV[a + 4]
  local row = look(workflow)
  if row and leased(row) then
    if row.stamp == nonce then -- A9
      if row.granted_by ~= ACQUIRE then return reused() end
      return granted(row)
    end
    if force == '' then return {HELD, row.alive, now} end
  end
  row = look_or_make(workflow)
  grant(row, nonce, ACQUIRE, ttl, budget)
  if force ~= '' then take_back(row) end -- A13
  store(row)
  return granted(row)
end

function ops.renew(a)
  local workflow, number, stamp, ttl, budget = ARGV[a], tonumber(ARGV[a + 1]), ARGV[a + 2], tonumber(ARGV[a + 3]),
    tonumber(ARGV[a + 4])
  local row = look(workflow)
  if not row or not fence_current(row, number, stamp) then return {FENCED} end
  if not renewable(row, budget) then return {LAPSED} end
  renew_lease(row, ttl, budget)
  store(row)
  return {OK, row.alive, row.budget, row.cancel_requested}
end

function ops.release(a)
  local workflow, number, stamp = ARGV[a], tonumber(ARGV[a + 1]), ARGV[a + 2]
  local row = look(workflow)
  if not row or not fence_current(row, number, stamp) then return {FENCED} end
  if row.alive ~= 0 or row.budget ~= 0 then -- else it was released before (A8)
    free_lease(row)
    store(row)
  end
  return {OK}
end
