-- Writes the failures of a webhook, or deletes them ("" for none), unless it was deleted.
-- KEYS hooks, health, lease. ARGV hook, health, lease id ("" for any).
-- A late worker must not overwrite the failures that another one has counted: its lease has ended.
if ARGV[3] ~= '' and redis.call('GET', KEYS[3]) ~= ARGV[3] then return 0 end
if ARGV[2] == '' or redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return redis.call('HDEL', KEYS[2], ARGV[1]) end
return redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
