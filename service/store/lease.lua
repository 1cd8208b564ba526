-- Takes or renews a lease, which one at a time may have: 1 where it is the caller's now.
-- KEYS lease; ARGV lease_id, life in ms, the same for all who want it
local holder = redis.call('GET', KEYS[1])
-- What lasts longer than it may was given before the store's clock was set back, and would not end for as long.
if holder and holder ~= ARGV[1] and redis.call('PTTL', KEYS[1]) <= tonumber(ARGV[2]) then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
