-- Makes a push message about a seat's decision due, unless it is known.
-- KEYS message, due. ARGV seat, decision, time (ms), lifetime (ms).
-- Returns 1 if it is new.
if redis.call('HGET', KEYS[1], 'decision') == ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], 'decision', ARGV[2], 'tries', 0)
redis.call('PEXPIRE', KEYS[1], ARGV[4])
redis.call('ZADD', KEYS[2], ARGV[3], ARGV[1])
return 1
