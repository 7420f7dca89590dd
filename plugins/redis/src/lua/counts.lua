-- counts: how much there is, in the partition's meta: one packed field, for one script changes several of them.
--
-- aside counts the entries of those indexes that are seldom used (index.lua): with none, nobody looks for them.
-- SPDX-License-Identifier: Apache-2.0
local COUNTS = '<ddddd'

local function read_counts(packed)
  local out = {workflows = 0, finished = 0, records = 0, bytes = 0, aside = 0}
  if packed then out.workflows, out.finished, out.records, out.bytes, out.aside = struct.unpack(COUNTS, packed) end
  return out
end
local function pack_counts(of) return struct.pack(COUNTS, of.workflows, of.finished, of.records, of.bytes, of.aside) end

local function counted()
  if not counts then counts = read_counts(meta[6]) end
  return counts
end
local function count(field, by)
  if by == 0 then return end
  local all = counted()
  all[field] = all[field] + by
  counts_changed = true
end

local function flush_counts()
  if not counts_changed then return end
  call('HSET', KEYS[1], 'counts', pack_counts(counts))
  counts_changed = false
end
