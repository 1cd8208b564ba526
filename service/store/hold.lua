-- Takes or renews a right that one at a time may have: 1 where it is the caller's now.
-- KEYS right; ARGV mark, life in ms
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
