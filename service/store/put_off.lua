-- Changes the due time of an entry, unless it has changed since the entry was found.
-- KEYS due. ARGV name, due time when found, new time (ms).
local found = redis.call('ZSCORE', KEYS[1], ARGV[1])
if not found or tonumber(found) ~= tonumber(ARGV[2]) then return 0 end
redis.call('ZADD', KEYS[1], ARGV[3], ARGV[1])
return 1
