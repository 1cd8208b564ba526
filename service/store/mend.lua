-- Replaces the fields of a session that follow from its log; this is no change and no log entry.
-- KEYS session, due, the index of listed sessions.
-- ARGV revision of the loaded session, session id, due time ("" for never).
--      Then the entry in the listed index with + or - in front ("" for none), fields and values.
if redis.call('HGET', KEYS[1], 'revision') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], unpack(ARGV, 5))
if ARGV[3] == '' then
  redis.call('ZREM', KEYS[2], ARGV[2])
else
  redis.call('ZADD', KEYS[2], ARGV[3], ARGV[2])
end
if string.sub(ARGV[4], 1, 1) == '+' then
  redis.call('ZADD', KEYS[3], 0, string.sub(ARGV[4], 2))
elseif ARGV[4] ~= '' then
  redis.call('ZREM', KEYS[3], string.sub(ARGV[4], 2))
end
return 1
