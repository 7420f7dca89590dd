-- index: wakeups in sorted sets, one of each kind a queue.
--
--   {ns:p}:q:<queue>   waiting, by due                    {ns:p}:f:<queue>   in flight, by the end of the delivery
--   {ns:p}:p:<queue>   waiting and put off, by due        {ns:p}:g:<queue>   in flight and put off, by due
--   {ns:p}:x:<queue>   dead                               {ns:p}:queues      every queue that has any of these
-- What was put off (D9) keeps its place by the time it first became due: once its lease has ended it goes on in q or f
-- under that time. The row is the truth; an entry that it does not bear out is taken away where it is met.
-- SPDX-License-Identifier: Apache-2.0
local SIBLING = {q = 'p', p = 'q', f = 'g', g = 'f'}
-- Seldom used: while the counts say that they are empty, nobody looks there.
local ASIDE = {p = true, g = true}
local KINDS = {'q:', 'f:', 'p:', 'g:'}

-- Where a row stands: key behind the partition's prefix, score. Nothing = nowhere.
local function index_of(row)
  local wakeup = row.wakeup
  if wakeup == NOWHERE then return nil end
  if wakeup == BURIED then return 'x:' .. row.queue, 0 end
  if row.put_off == 1 and row.due > now then return (wakeup == WAITING and 'p:' or 'g:') .. row.queue, row.due end
  return (wakeup == WAITING and 'q:' or 'f:') .. row.queue, place(row)
end
