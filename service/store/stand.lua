-- Stores standing answers, which are not part of the log.
-- KEYS session, log, due, the index of listed sessions, the founder's index if the founder is an API key.
-- ARGV revision and standing answers when loaded, new standing answers, lifetime in ms, session id, due ("" for never).
-- Returns 'gone', 'moved' if the session has changed, or 'written'.
local found = redis.call('HMGET', KEYS[1], 'revision', 'standing')
if not found[1] then return 'gone' end
if found[1] ~= ARGV[1] or found[2] ~= ARGV[2] then return 'moved' end
if ARGV[6] == '' then
  redis.call('ZREM', KEYS[3], ARGV[5])
else
  redis.call('ZADD', KEYS[3], ARGV[6], ARGV[5])
end
redis.call('HSET', KEYS[1], 'standing', ARGV[3], 'lasting', 1) -- after the commands that can fail
redis.call('PEXPIRE', KEYS[1], ARGV[4])
redis.call('PEXPIRE', KEYS[2], ARGV[4])
if KEYS[5] then redis.call('PEXPIRE', KEYS[5], ARGV[4]) end
return 'written'
