-- Advances a table with sealed, fresh snapshots from one state to the next, or finds that this was done before.
-- KEYS table. ARGV the caller's state, the next state, the key's lifetime in ms.
-- Returns 1 if the table is at the next state now. Returns 0 and changes nothing if it is at another state or missing.
local latest = redis.call('GET', KEYS[1])
if latest ~= ARGV[1] and latest ~= ARGV[2] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1
