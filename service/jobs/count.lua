-- Stores how many lines are counted.
-- ARGV the counts before and after, tally, partial result. Returns 1 if the stored count was the one before.
if not in_work() or redis.call('HGET', record, 'counted') ~= ARGV[1] then return 0 end
redis.call('HSET', record, 'counted', ARGV[2], 'tally', ARGV[3], 'partial', ARGV[4])
return 1
