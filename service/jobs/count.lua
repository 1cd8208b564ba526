-- Stores how far the lines are counted.
-- ARGV how far the count was and is, tally, partial result. Answers 1 if it was there.
if not in_work() or redis.call('HGET', record, 'counted') ~= ARGV[1] then return 0 end
redis.call('HSET', record, 'counted', ARGV[2], 'tally', ARGV[3], 'partial', ARGV[4])
return 1
