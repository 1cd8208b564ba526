-- Enters a message into a webhook's log and line, unless it is there, and forgets the oldest beyond what is kept.
-- KEYS hooks, log, order, line, due; ARGV hook, message's id, message, time (ms), messages kept
-- Answers 1 where it is new.
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 or redis.call('HEXISTS', KEYS[2], ARGV[2]) == 1 then return 0 end
local at = tonumber(ARGV[4])
local last = redis.call('ZRANGE', KEYS[3], -1, -1, 'WITHSCORES')[2]
if last and tonumber(last) >= at then at = tonumber(last) + 1 end
redis.call('HSET', KEYS[2], ARGV[2], ARGV[3])
redis.call('ZADD', KEYS[3], at, ARGV[2])
redis.call('ZADD', KEYS[4], at, ARGV[2])
local over = redis.call('ZCARD', KEYS[3]) - ARGV[5]
if over > 0 then
  for _, old in ipairs(redis.call('ZRANGE', KEYS[3], 0, over - 1)) do
    redis.call('HDEL', KEYS[2], old)
    redis.call('ZREM', KEYS[3], old)
    redis.call('ZREM', KEYS[4], old)
  end
end
redis.call('ZADD', KEYS[5], 'NX', ARGV[4], ARGV[1])
return 1
