-- Stores the seats whose phrases a seat does not receive. They are not part of the log.
-- KEYS session. ARGV the seat's field, the muted seats as JSON.
-- Returns 1, or 0 if the session is gone.
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
return 1
