-- Postpones a webhook to its next message, but not before a time; without pending messages it leaves the due set.
-- KEYS line, due, lease. ARGV hook, time (ms), lease id.
-- A late worker must not change the time that another one has set: its lease has ended.
if redis.call('GET', KEYS[3]) ~= ARGV[3] then return 0 end
local first = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')[2]
if not first then return redis.call('ZREM', KEYS[2], ARGV[1]) end
return redis.call('ZADD', KEYS[2], math.max(tonumber(first), tonumber(ARGV[2])), ARGV[1])
