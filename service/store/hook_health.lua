-- Writes the failures of a webhook, or deletes them ("" for none), unless it was deleted.
-- KEYS hooks, health. ARGV hook, health.
if ARGV[2] == '' or redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return redis.call('HDEL', KEYS[2], ARGV[1]) end
return redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
