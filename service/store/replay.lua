-- Publishes a session by a replay id, unless it has one.
-- KEYS session. ARGV replay id.
-- Returns the session's replay id, or false if the session is gone.
if redis.call('HEXISTS', KEYS[1], 'revision') == 0 then return false end
redis.call('HSETNX', KEYS[1], 'replay', ARGV[1])
return redis.call('HGET', KEYS[1], 'replay')
