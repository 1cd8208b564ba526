-- Puts a webhook off to its next message, and no earlier than a time; where no message waits it is not looked at again.
-- KEYS line, due; ARGV hook, time (ms)
local first = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')[2]
if not first then return redis.call('ZREM', KEYS[2], ARGV[1]) end
return redis.call('ZADD', KEYS[2], math.max(tonumber(first), tonumber(ARGV[2])), ARGV[1])
