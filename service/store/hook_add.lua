-- Adds a message to a webhook's log and queue, unless it is known, and deletes the oldest ones beyond the limit.
-- KEYS hooks, log, order, line, due. ARGV hook, message id, message, time (ms), maximum number of messages.
-- Returns 1 if it is new.
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
