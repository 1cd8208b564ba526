-- Writes new sessions of one bucket, all or none: none if one of their ids exists already.
-- KEYS due, the index of listed sessions, then per session: session, log.
-- ARGV per session: lifetime in ms, session id, due time ("" for never), id of the log entry, log entry, its time.
--      Then notifications (space-separated), entry in the listed index ("" for none), count of fields, fields, values.
for each = 3, #KEYS do
  if redis.call('EXISTS', KEYS[each]) == 1 then return 0 end
end
local at = 1
for each = 3, #KEYS, 2 do
  local life, name, due, id, line, now, calls, entry, count = unpack(ARGV, at, at + 8)
  if due ~= '' then redis.call('ZADD', KEYS[1], due, name) end -- first, since it can fail
  for call in string.gmatch(calls, '%S+') do
    local at, text = string.match(call, '^(%d+)@(.+)$') -- a delayed notification contains its time
    redis.call('ZADD', KEYS[1], at or now, text or call)
  end
  if entry ~= '' then redis.call('ZADD', KEYS[2], 0, entry) end
  redis.call('XADD', KEYS[each + 1], id, 'line', line)
  redis.call('HSET', KEYS[each], unpack(ARGV, at + 9, at + 8 + count))
  redis.call('PEXPIRE', KEYS[each], life)
  redis.call('PEXPIRE', KEYS[each + 1], life)
  at = at + 9 + count
end
return 1
