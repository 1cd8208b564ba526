-- Looks at a session, and marks connections: its revision, and those that are marked, with spaces between.
-- KEYS session, its connections; ARGV now, until when a mark counts, for how long that is, the connections to mark
local revision = redis.call('HGET', KEYS[1], 'revision')
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', ARGV[1])
if #ARGV > 3 then
  for place = 4, #ARGV do redis.call('ZADD', KEYS[2], ARGV[2], ARGV[place]) end
  redis.call('PEXPIRE', KEYS[2], ARGV[3])
end
return (revision or '') .. ' ' .. table.concat(redis.call('ZRANGE', KEYS[2], 0, -1), ' ')
