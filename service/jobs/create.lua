-- Creates a record.
-- KEYS record, open. ARGV expiry, items, then fields and values. Returns 1 if the job is new.
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
for i = 3, #ARGV, 2 do redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1]) end
redis.call('ZADD', KEYS[2], 0, '0-' .. ARGV[2] .. '-0-')
redis.call('PEXPIREAT', KEYS[1], ARGV[1])
redis.call('PEXPIREAT', KEYS[2], ARGV[1])
return 1
