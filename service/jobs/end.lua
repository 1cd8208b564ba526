-- Ends a job.
-- ARGV state, id of the lease ("" for any), then fields and values. Returns 1 if this call ended the job.
if not in_work() or (ARGV[2] ~= '' and not redis.call('ZSCORE', open, ARGV[2])) then return 0 end
for i = 3, #ARGV, 2 do redis.call('HSET', record, ARGV[i], ARGV[i + 1]) end
if ARGV[1] == 'succeeded' then redis.call('HDEL', record, 'partial') end
finish(ARGV[1])
return 1
