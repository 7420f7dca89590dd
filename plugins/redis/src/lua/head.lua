-- head: what every script, and the library, begins with. The clock, the partition's meta, numbers that have names.
--
-- KEYS[1]  {ns:p}:m, the partition's meta. Every other key that a script touches begins with the same {ns:p}: and lies
--          in the same slot of a cluster; receive picks its workflows itself, so they cannot all be declared.
-- ARGV     operations, one each: its name, 1 if it is done only if the one before it answered ok, how struct.unpack
--          reads its arguments, these. In the files of operations ARGV is those of the operation: numbers are numbers,
--          flags 1 or nothing, an absent op_id is empty.
-- Reply    an array with one array an operation: its status, then what its own file says; or the status LOST: there is
--          no such partition, nothing was done.
-- Keeps    A3, A11: one look at the server's clock, when the script has begun. R2: what refuses writes nothing.
-- SPDX-License-Identifier: Apache-2.0

-- Of the call that runs: a library's functions stay from one call to the next, so every call begins these anew.
local call, KEYS, ARGV, T, meta, epoch, floor, document_floor, now, latest, watched, rows, dirty, armed, named, counts,
  counts_changed, entered, fetched, adds, takes, values, upcoming
-- There is nothing to take these from while a library is loaded.
local max, min, sub, format

-- A12: a clock that steps back would put off what is ready until it came round again. The partition's goes on from the
-- latest time that it knows (noted once a second), as far before the server's as that one fell behind.
local function read_time()
  local time, behind = call('TIME'), tonumber(meta[8] or 0)
  latest = tonumber(meta[7] or 0)
  now = time[1] * 1000000 + time[2] + behind
  if now >= latest then return end
  redis.pcall('HSET', KEYS[1], 'behind', string.format('%.0f', behind + latest - now)) -- a full server takes it later
  now = latest
end
local function note_time()
  if not latest or now < latest + 1000000 then return end
  latest = now
  call('HSET', KEYS[1], 'latest', format('%.0f', now))
end

-- Answers false where there is no such partition.
local function begin(keys)
  max, min, sub, format = math.max, math.min, string.sub, string.format
  call, KEYS, T, rows, dirty = redis.call, keys, sub(keys[1], 1, -2), {}, {}
  armed, named, counts, counts_changed, entered, fetched = {}, {}, nil, false, {}, {}
  adds, takes, values, upcoming, latest = nil, nil, nil, 0, nil
  meta = call('HMGET', keys[1], 'epoch', 'floor', 'clock', 'watched', 'versions', 'counts', 'latest', 'behind')
  if not meta[1] then return false end
  epoch, floor, document_floor, now = tonumber(meta[1]), tonumber(meta[2]), tonumber(meta[5]), tonumber(meta[3])
  if not now then read_time() end
  watched = meta[4] and tonumber(meta[4]) > now
  return true
end

local OK, FENCED, STALE, CANCELLED, LAPSED, HELD, CONFLICT, NOT_FOUND, INVALID = 0, 1, 2, 3, 4, 5, 6, 7, 8
local UNSUPPORTED, SKIPPED, EFFECT_FAILED, CORRUPT = 10, 12, 13, 22
local READY, DELAYED, IN_FLIGHT, DEAD, FINISHED, IDLE, COALESCED, DEFERRED, REQUEUED = 1, 2, 3, 4, 5, 6, 7, 8, 9
-- Of a wakeup. NOWHERE = there is none.
local NOWHERE, WAITING, FLYING, BURIED = 0, 1, 2, 3
-- Of trim's indexes: finished; finished and leased; a husk or nothing but a fence number.
local KEPT, T_FINISHED, T_LEASED, T_LEFTOVER = 0, 1, 2, 3
-- The last microsecond of the year 9999 that a double can say, and how long a husk stays.
local LAST, HUSK = 253402300799999968, 600000000

-- Operations, as the ABI numbers them: what wrote or answered something is remembered by it (R1).
local ACQUIRE, RECORD_OP, SUPPLY, APPEND, TRANSACT, REBASE = 1, 5, 6, 7, 8, 9
local ENQUEUE, RECEIVE, ACK, SNOOZE, NACK, REJECT, PUT, ERASE = 13, 14, 16, 17, 18, 19, 22, 23

-- What fits into one call of the server, for unpack.
local CHUNK = 200

local look, mark -- the row of an id as it counts now, or nil; it was changed: rows.lua
-- Operations by kind, filled by the files that follow. Each is given the place of its first argument.
local ops = {}
local function later(span) return min(now + span, LAST) end
