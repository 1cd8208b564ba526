-- Notes how a message of a webhook stands, and when it is tried next ("" for never), unless it is no longer kept.
-- KEYS log, line; ARGV message's id, message, time (ms)
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
if ARGV[3] == '' then redis.call('ZREM', KEYS[2], ARGV[1]) else redis.call('ZADD', KEYS[2], ARGV[3], ARGV[1]) end
return 1
