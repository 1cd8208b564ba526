-- Keeps standing answers, which are part of no line.
-- KEYS session, log, due, the index of listed sessions, and that of its founder where that is an API key
-- ARGV revision and standing answers it was made at, standing answers, life in ms, session's name, due ("" for never)
-- Answers 'gone', 'moved' where the session is another, or 'written'.
local found = redis.call('HMGET', KEYS[1], 'revision', 'standing')
if not found[1] then return 'gone' end
if found[1] ~= ARGV[1] or found[2] ~= ARGV[2] then return 'moved' end
if ARGV[6] == '' then
  redis.call('ZREM', KEYS[3], ARGV[5])
else
  redis.call('ZADD', KEYS[3], ARGV[6], ARGV[5])
end
redis.call('HSET', KEYS[1], 'standing', ARGV[3], 'lasting', 1) -- after what can fail
redis.call('PEXPIRE', KEYS[1], ARGV[4])
redis.call('PEXPIRE', KEYS[2], ARGV[4])
if KEYS[5] then redis.call('PEXPIRE', KEYS[5], ARGV[4]) end
return 'written'
