-- Takes or renews an exclusive lease; returns 1 if the caller holds it now.
-- KEYS lease. ARGV lease_id, lifetime in ms, the same for all callers.
local holder = redis.call('GET', KEYS[1])
-- A lease with a longer lifetime was given before the store's clock was set back, and would expire too late.
if holder and holder ~= ARGV[1] and redis.call('PTTL', KEYS[1]) <= tonumber(ARGV[2]) then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
