-- Renews a lease and writes fields.
-- ARGV id of the lease, ms, then fields and values. Returns 1 while the lease is held.
if not in_work() or not redis.call('ZSCORE', open, ARGV[1]) then return 0 end
redis.call('ZADD', open, now() + ARGV[2], ARGV[1])
for i = 3, #ARGV, 2 do redis.call('HSET', record, ARGV[i], ARGV[i + 1]) end
return 1
