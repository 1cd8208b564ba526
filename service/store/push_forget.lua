-- Removes a seat from the due set if it has no push message.
-- KEYS message, due. ARGV seat.
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
return redis.call('ZREM', KEYS[2], ARGV[1])
