-- Stores the partial result of a job with counters, unless a later one is stored.
-- ARGV the number of its games, and the result. Returns 1 if it was stored.
if not in_work() or tonumber(redis.call('HGET', record, 'counted')) >= tonumber(ARGV[1]) then return 0 end
redis.call('HSET', record, 'counted', ARGV[1], 'partial', ARGV[2])
return 1
