-- Ends a lease with nothing done, and has the tasks of its job wait in another queue from now on.
-- ARGV id of the lease, queue, ms of a turn there. Answers false where the lease is lost, else the number of the next
-- task.
if not in_work() or not redis.call('ZSCORE', open, ARGV[1]) then return false end
local first, last, lost = string.match(ARGV[1], '^(%d+)-(%d+)-(%d+)-')
redis.call('ZREM', open, ARGV[1])
redis.call('ZADD', open, 0, string.format('%d-%d-%d-', first, last, lost))
redis.call('HSET', record, 'queue', ARGV[2], 'turn_ms', ARGV[3])
return reserve_task()
