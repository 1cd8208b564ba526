-- Reads a session's presence and marks connections.
-- Returns its revision, the number of its revoked devices and the number of its phrases, with slashes.
-- The marked connections follow, with spaces.
-- KEYS session, its connections. ARGV now, expiry of a mark, lifetime of a mark, the connections to mark.
local row = redis.call('HMGET', KEYS[1], 'revision', 'revoked', 'phrases')
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', ARGV[1])
if #ARGV > 3 then
  for place = 4, #ARGV do redis.call('ZADD', KEYS[2], ARGV[2], ARGV[place]) end
  redis.call('PEXPIRE', KEYS[2], ARGV[3])
end
return (row[1] or '') .. '/' .. (row[2] or '0') .. '/' .. (row[3] or '0') .. ' ' .. table.concat(redis.call('ZRANGE', KEYS[2], 0, -1), ' ')
