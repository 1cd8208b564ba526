-- Lists a job among those that have not ended.
-- KEYS open jobs by when they were made, their callers by job.
-- ARGV job, made (ms), caller, most jobs of all, most of one caller (0 for any number).
-- Answers "listed" if this listed it, "known" if it was listed, or what is full: "queue" or "caller".
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
