-- Adds the counts of a lease to the counters of its job, and ends the lease.
-- KEYS[4] counters. ARGV id of the lease, reached, end, items done, ms, ms between two results, then counters
-- and their increments.
-- Returns false if the lease is lost. Otherwise returns the number of the next task, and the counters when a
-- result is due: after the last item, and from time to time.
if not in_work() or not redis.call('ZSCORE', open, ARGV[1]) then return false end
redis.call('ZREM', open, ARGV[1])
if ARGV[2] ~= ARGV[3] then redis.call('ZADD', open, 0, string.format('%d-%d-0-', ARGV[2], ARGV[3])) end
for i = 7, #ARGV, 2 do redis.call('HINCRBY', KEYS[4], ARGV[i], ARGV[i + 1]) end
redis.call('PEXPIREAT', KEYS[4], redis.call('HGET', record, 'expires'))
redis.call('HINCRBY', record, 'done', ARGV[4])
redis.call('HINCRBY', record, 'spent', ARGV[5])
local following = ARGV[2] ~= ARGV[3] and reserve_task() or ''
local told = redis.call('ZCARD', open) == 0 or math.abs(now() - (redis.call('HGET', record, 'told') or 0)) >= tonumber(ARGV[6])
if not told then return {following} end
redis.call('HSET', record, 'told', now())
return {following, redis.call('HGETALL', KEYS[4])}
