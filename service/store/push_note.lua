-- Counts an attempt at a push message and sets the time of the next one ("" for never), unless a newer one took its place.
-- KEYS message, due. ARGV seat, decision, time (ms), the last opening that was sent.
local decision = redis.call('HGET', KEYS[1], 'decision')
if decision then redis.call('HSET', KEYS[1], 'told', ARGV[4]) end
if decision ~= ARGV[2] then return 0 end
redis.call('HINCRBY', KEYS[1], 'tries', 1)
if ARGV[3] == '' then redis.call('ZREM', KEYS[2], ARGV[1]) else redis.call('ZADD', KEYS[2], ARGV[3], ARGV[1]) end
return 1
