-- Records an attempt at a push message: counts it and sets the time of the next one ("" for never).
-- KEYS message, due. ARGV seat, decision, attempts before, last opening that was sent before, time (ms), the last opening now.
-- A late worker must not overwrite the result of another one: if there was an attempt or a newer message meanwhile,
-- neither the number nor the time changes. The opening changes unless another one has been sent meanwhile.
local found = redis.call('HMGET', KEYS[1], 'decision', 'tries', 'told')
if not found[1] then return 0 end
if (found[3] or '') == ARGV[4] then redis.call('HSET', KEYS[1], 'told', ARGV[6]) end
if found[1] ~= ARGV[2] or tonumber(found[2] or 0) ~= tonumber(ARGV[3]) then return 0 end
redis.call('HINCRBY', KEYS[1], 'tries', 1)
if ARGV[5] == '' then redis.call('ZREM', KEYS[2], ARGV[1]) else redis.call('ZADD', KEYS[2], ARGV[5], ARGV[1]) end
return 1
