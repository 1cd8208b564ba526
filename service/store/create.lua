-- Writes a new session, unless there is one of this name already.
-- KEYS session, log, due
-- ARGV life in ms, session's name, when something is due at it ("" for never), the line's id, line, then fields and values
-- Answers 1 where it is new.
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
redis.call('XADD', KEYS[2], ARGV[4], 'line', ARGV[5])
redis.call('HSET', KEYS[1], unpack(ARGV, 6))
redis.call('PEXPIRE', KEYS[1], ARGV[1])
redis.call('PEXPIRE', KEYS[2], ARGV[1])
if ARGV[3] ~= '' then redis.call('ZADD', KEYS[3], ARGV[3], ARGV[2]) end
return 1
