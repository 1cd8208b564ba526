-- Postpones a session that was found due, unless it has changed since.
-- KEYS session, due. ARGV revision when loaded, due time when found, session id, new time ("" for never).
if redis.call('HGET', KEYS[1], 'revision') ~= ARGV[1] then return 0 end
local found = redis.call('ZSCORE', KEYS[2], ARGV[3])
if not found or tonumber(found) ~= tonumber(ARGV[2]) then return 0 end
if ARGV[4] == '' then return redis.call('ZREM', KEYS[2], ARGV[3]) end
redis.call('ZADD', KEYS[2], ARGV[4], ARGV[3])
return 1
