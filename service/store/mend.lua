-- Writes anew what a session's log says of it, which is no change and no line of the log.
-- KEYS session, due; ARGV revision it was made at, session's name, when something is due ("" for never), fields, values
if redis.call('HGET', KEYS[1], 'revision') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], unpack(ARGV, 4))
if ARGV[3] == '' then
  redis.call('ZREM', KEYS[2], ARGV[2])
else
  redis.call('ZADD', KEYS[2], ARGV[3], ARGV[2])
end
return 1
