-- Goes on from the latest state of a table whose snapshots are sealed and fresh, or finds that this was done before.
-- KEYS table; ARGV the state that the caller has, the state after it, for how many ms the key lives
-- Answers 1 where the table has now come to the state after; 0, and nothing is changed, where it has another or none.
local latest = redis.call('GET', KEYS[1])
if latest ~= ARGV[1] and latest ~= ARGV[2] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1
