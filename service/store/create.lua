-- Writes new sessions of one bucket, all of them, unless there is one of their names already; then none.
-- KEYS due, then for each: session, log
-- ARGV for each: its life in ms, session's name, when something is due at it ("" for never), the line's id, line, its
--      time, calls to be told of (parted by spaces), how many fields and values follow, then those
-- Answers 1 where they are new.
for each = 2, #KEYS do
  if redis.call('EXISTS', KEYS[each]) == 1 then return 0 end
end
local at = 1
for each = 2, #KEYS, 2 do
  local life, name, due, id, line, now, calls, count = unpack(ARGV, at, at + 7)
  if due ~= '' then redis.call('ZADD', KEYS[1], due, name) end -- first, since it can fail
  for call in string.gmatch(calls, '%S+') do
    local at, text = string.match(call, '^(%d+)@(.+)$') -- one that is told later names its time
    redis.call('ZADD', KEYS[1], at or now, text or call)
  end
  redis.call('XADD', KEYS[each + 1], id, 'line', line)
  redis.call('HSET', KEYS[each], unpack(ARGV, at + 8, at + 7 + count))
  redis.call('PEXPIRE', KEYS[each], life)
  redis.call('PEXPIRE', KEYS[each + 1], life)
  at = at + 8 + count
end
return 1
