-- Frees the items of a dead worker.
-- ARGV id of the lease. Returns the number of a new task, if one is needed.
if not in_work() or not redis.call('ZSCORE', open, ARGV[1]) then return '' end
redis.call('ZADD', open, 0, ARGV[1])
return reserve_task()
