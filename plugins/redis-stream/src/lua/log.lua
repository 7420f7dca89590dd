-- log: a stream a queue, for people who look at one, and for their own consumer groups.
--
--   {ns:p}:s:<queue>   an entry for each time that a workflow became ready: workflow, due
--   group stile        who holds what: what is pending there is in flight, with the process that received it
-- The sorted sets say what is due and in which order: a wakeup that goes back to an earlier place has none in a log
-- (W7, D9). row.entry names the entry of the present wakeup; with a ~ before it, the group has been past it already.
-- An entry that no row names is inert: cancel looks at no log (C5).
-- SPDX-License-Identifier: Apache-2.0
local log_save, log_delivered, log_trim
do -- nobody else needs the rest: a function has at most 200 local names
local GROUP, PAST = 'stile', '~'
local CONSUMER_IDLE_MS = 600000

local function log_of(queue) return T .. 's:' .. queue end
local function add_entry(row)
  row.entry = call('XADD', log_of(row.queue), '*', 'workflow', row.id, 'due', format('%.0f', place(row)))
end

-- Before a row is saved. Whoever stops being in flight is no longer pending; whoever is ready has an entry.
function log_save(row)
  if row.entry ~= '' and row.wakeup ~= FLYING then
    if row.was_wakeup == FLYING then
      call('XACK', log_of(row.was_queue), GROUP, row.entry)
      row.entry = ''
    elseif row.wakeup ~= WAITING or row.queue ~= row.was_queue then
      row.entry = ''
    end
  end
  if row.entry == '' and row.wakeup == WAITING and row.put_off == 0 and row.due <= now then add_entry(row) end
end

-- A command of the group, which is made where it is not there (any more).
local function of_group(key, ...)
  local reply = redis.pcall(...)
  if type(reply) ~= 'table' or not reply.err then return reply end
  if not string.find(reply.err, 'NOGROUP', 1, true) then error(reply.err) end
  call('XGROUP', 'CREATE', key, GROUP, 0, 'MKSTREAM')
  return call(...)
end

local function read_group(key, consumer, n)
  local reply = of_group(key, 'XREADGROUP', 'GROUP', GROUP, consumer, 'COUNT', n, 'STREAMS', key, '>')
  return reply and reply[1] and reply[1][2] or {}
end

-- The group reads on, as far as these deliveries go. What it comes past on its way is no delivery.
local function read_on(queue, consumer, wanted, n)
  local done = {}
  for _ = 1, 2 do
    local others = 0
    for _, entry in ipairs(read_group(log_of(queue), consumer, n)) do
      local id, workflow = entry[1], entry[2] and entry[2][2]
      if wanted[id] then
        wanted[id] = nil
      else
        local row = workflow and look(workflow)
        local its = row and row.queue == queue and row.entry == id -- an id means nothing in another stream
        -- Pending, or about to be acked when it is saved: it stays so.
        if not its or (row.wakeup ~= FLYING and row.was_wakeup ~= FLYING) then
          done[#done + 1] = id
          if its then
            row.entry = PAST .. id
            mark(row)
          else
            others = others + 1
          end
        end
      end
    end
    if others == 0 then break end
    n = min(2 * others, CHUNK) -- it catches up on the inert ones
  end
  if #done ~= 0 then call('XACK', log_of(queue), GROUP, unpack(done)) end
end

-- Makes these pending here, wherever the group is. by_entry: rows by the entry that they name. One that is gone, for
-- the group had been past it, is written anew.
local function claim(queue, consumer, by_entry)
  local key, asked = log_of(queue), {}
  for entry in pairs(by_entry) do asked[#asked + 1] = entry end
  if #asked == 0 then return end
  asked[#asked + 1] = 'FORCE'
  for _, entry in ipairs(of_group(key, 'XCLAIM', key, GROUP, consumer, 0, unpack(asked))) do
    if entry then by_entry[entry[1]] = nil end
  end
  local anew = {}
  for _, row in pairs(by_entry) do
    add_entry(row)
    mark(row)
    anew[#anew + 1] = row.entry
  end
  if #anew == 0 then return end
  anew[#anew + 1] = 'FORCE'
  call('XCLAIM', key, GROUP, consumer, 0, unpack(anew))
end

-- These rows of a queue were delivered just now, and are not saved yet.
function log_delivered(queue, consumer, delivered)
  local claimed, wanted, n = {}, {}, 0
  for i = 1, #delivered do
    local row = delivered[i]
    if row.was_wakeup == FLYING and row.entry ~= '' then -- lapsed: another one holds it
      claimed[row.entry] = row
    elseif sub(row.entry, 1, 1) == PAST then
      row.entry = sub(row.entry, 2)
      claimed[row.entry] = row
    else
      if row.entry == '' then add_entry(row) end
      wanted[row.entry] = row
      n = n + 1
    end
    row.was_wakeup, row.was_queue = FLYING, queue -- it is pending from here on, whatever else this script does
  end
  if n ~= 0 then read_on(queue, consumer, wanted, n) end
  for entry, row in pairs(wanted) do claimed[entry] = row end
  claim(queue, consumer, claimed)
end

local function pair_of(id)
  local time, number = string.match(id, '^(%d+)-(%d+)$')
  return tonumber(time), tonumber(number)
end
local function before(a, b)
  local a_time, a_number = pair_of(a)
  local b_time, b_number = pair_of(b)
  return a_time < b_time or (a_time == b_time and a_number < b_number)
end
local function fields_of(flat)
  local out = {}
  for i = 1, #flat, 2 do out[flat[i]] = flat[i + 1] end
  return out
end

-- Up to where everybody is done: the first entry that some group has not finished with, or nil where there is no group.
local function finished_with(key, groups)
  local least
  for i = 1, #groups do
    local group = fields_of(groups[i])
    local first
    if group.pending ~= 0 then
      first = call('XPENDING', key, group.name)[2]
    else
      local time, number = pair_of(group['last-delivered-id'])
      first = format('%.0f-%.0f', time, number + 1)
    end
    if not least or before(first, least) then least = first end
  end
  return least
end

local function forget_consumers(key)
  local consumers = redis.pcall('XINFO', 'CONSUMERS', key, GROUP)
  if consumers.err then return end -- no such group yet
  for i = 1, #consumers do
    local consumer = fields_of(consumers[i])
    if consumer.pending == 0 and consumer.idle > CONSUMER_IDLE_MS then
      call('XGROUP', 'DELCONSUMER', key, GROUP, consumer.name)
    end
  end
end

-- T7: of at most `most` entries, those that every group has finished with. Answers how many went, whether there may be
-- more, and whether there is no log left.
function log_trim(queue, most, unused)
  local key = log_of(queue)
  local groups = redis.pcall('XINFO', 'GROUPS', key)
  if groups.err then return 0, false, true end
  local upto = finished_with(key, groups)
  if not upto then return 0, false, false end
  local looked = call('XRANGE', key, '-', '+', 'COUNT', most + 1)
  local cut = looked[most + 1] and before(looked[most + 1][1], upto)
  if cut then upto = looked[most + 1][1] end
  local went = call('XTRIM', key, 'MINID', '=', upto)
  forget_consumers(key)
  if unused and #groups == 1 and call('XLEN', key) == 0 then
    call('DEL', key)
    return went, false, true
  end
  return went, cut or false, false
end
end
