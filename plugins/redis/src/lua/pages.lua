-- pages: a page of keys in byte order (K7), for list and scan.
--
-- SPDX-License-Identifier: Apache-2.0

-- Goes through a sorted set whose scores are all 0. tell(key, out) adds a key's element and answers whether it did.
-- At most `limit` are told, and not many more looked at. Answers {OK, has_next, next, now, out}.
local function page_of_keys(index, prefix, after, limit, tell)
  local from, out, given, looked = '[' .. prefix, {}, 0, 0
  if after ~= '' and after >= prefix then from = '(' .. after end
  local last = after
  while true do
    local keys = call('ZRANGEBYLEX', T .. index, from, '+', 'LIMIT', 0, CHUNK)
    for i = 1, #keys do
      local key = keys[i]
      if sub(key, 1, #prefix) ~= prefix then return {OK, 0, '', now, out} end
      if given == limit or looked == limit * 10 + 100 then return {OK, 1, last, now, out} end
      looked = looked + 1
      if tell(key, out) then given = given + 1 end
      last = key
    end
    if #keys < CHUNK then return {OK, 0, '', now, out} end
    from = '(' .. last
  end
end
