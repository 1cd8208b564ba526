-- Postpones a webhook to its next message, but not before a time; without pending messages it leaves the due set.
-- KEYS line, due. ARGV hook, time (ms).
local first = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')[2]
if not first then return redis.call('ZREM', KEYS[2], ARGV[1]) end
return redis.call('ZADD', KEYS[2], math.max(tonumber(first), tonumber(ARGV[2])), ARGV[1])
