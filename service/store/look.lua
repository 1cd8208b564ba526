-- Reads a session's presence and marks connections; returns its revision and the marked connections, with spaces.
-- KEYS session, its connections. ARGV now, expiry of a mark, lifetime of a mark, the connections to mark.
local revision = redis.call('HGET', KEYS[1], 'revision')
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', ARGV[1])
if #ARGV > 3 then
  for place = 4, #ARGV do redis.call('ZADD', KEYS[2], ARGV[2], ARGV[place]) end
  redis.call('PEXPIRE', KEYS[2], ARGV[3])
end
return (revision or '') .. ' ' .. table.concat(redis.call('ZRANGE', KEYS[2], 0, -1), ' ')
