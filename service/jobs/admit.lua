-- Adds a job to the open jobs.
-- KEYS open jobs by creation time, their callers by job.
-- ARGV job, creation time (ms), caller, limit of all jobs, limit of the caller's jobs (0 for none).
-- Returns "listed" if this call added it, "known" if it was open, or the exceeded limit: "queue" or "caller".
if redis.call('ZSCORE', KEYS[1], ARGV[1]) then return 'known' end
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[4]) then return 'queue' end
local own = 0
for _, caller in ipairs(redis.call('HVALS', KEYS[2])) do
  if caller == ARGV[3] then own = own + 1 end
end
if tonumber(ARGV[5]) > 0 and own >= tonumber(ARGV[5]) then return 'caller' end
redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])
redis.call('HSET', KEYS[2], ARGV[1], ARGV[3])
return 'listed'
