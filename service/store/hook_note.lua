-- Updates a webhook's message and the time of its next attempt ("" for never), unless it was deleted.
-- KEYS log, line. ARGV message id, message, time (ms), number of attempts before ("" for any).
-- A late worker must not overwrite the result of another one: nothing changes if there was an attempt meanwhile.
local kept = redis.call('HGET', KEYS[1], ARGV[1])
if not kept then return 0 end
if ARGV[4] ~= '' then
  local found = cjson.decode(kept)
  if (found.tries or 0) ~= tonumber(ARGV[4]) or (found.state or 'waiting') ~= 'waiting' then return 0 end
end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
if ARGV[3] == '' then redis.call('ZREM', KEYS[2], ARGV[1]) else redis.call('ZADD', KEYS[2], ARGV[3], ARGV[1]) end
return 1
