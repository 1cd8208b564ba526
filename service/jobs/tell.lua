-- Stores the result so far of a job that is counted by counters, unless a later one is stored.
-- ARGV how many games it has, and the result. Answers 1 if it was stored.
if not in_work() or tonumber(redis.call('HGET', record, 'counted')) >= tonumber(ARGV[1]) then return 0 end
redis.call('HSET', record, 'counted', ARGV[1], 'partial', ARGV[2])
return 1
