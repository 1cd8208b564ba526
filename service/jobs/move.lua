-- Ends a lease without results, and moves the tasks of its job to another queue.
-- ARGV id of the lease, queue, ms of a turn there. Returns false if the lease is lost, otherwise the number of the
-- next task.
if not in_work() or not redis.call('ZSCORE', open, ARGV[1]) then return false end
local first, last, lost = string.match(ARGV[1], '^(%d+)-(%d+)-(%d+)-')
redis.call('ZREM', open, ARGV[1])
redis.call('ZADD', open, 0, string.format('%d-%d-%d-', first, last, lost))
redis.call('HSET', record, 'queue', ARGV[2], 'turn_ms', ARGV[3])
return reserve_task()
