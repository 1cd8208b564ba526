-- Writes the lines of a lease, and ends it.
-- KEYS[4] done. ARGV id of the lease, first, reached, end, lines, ms. Returns false if the lease is lost, otherwise
-- the number of the next task.
if not in_work() or not redis.call('ZSCORE', open, ARGV[1]) then return false end
redis.call('ZREM', open, ARGV[1])
if ARGV[3] ~= ARGV[4] then redis.call('ZADD', open, 0, string.format('%d-%d-0-', ARGV[3], ARGV[4])) end
redis.call('HSET', KEYS[4], ARGV[2], ARGV[5])
redis.call('PEXPIREAT', KEYS[4], redis.call('HGET', record, 'expires'))
redis.call('HINCRBY', record, 'done', ARGV[3] - ARGV[2])
redis.call('HINCRBY', record, 'spent', ARGV[6])
return ARGV[3] ~= ARGV[4] and reserve_task() or ''
