-- Notes that a process has watched the store's clock go on, or by how much it was stepped.
-- KEYS time; ARGV what was told in ms: the store's clock, how far it was ahead of the service's time;
--      how far it is ahead by what the process knows, for how many ms nobody doubts the clock after it was watched;
--      the process' machine and its monotonic time when the clock was told, or neither
-- Answers 1 where that was noted; 0 where another process was faster, or knows better.
local found = redis.call('HMGET', KEYS[1], 'ahead', 'seen')
local seen, clock = tonumber(found[2]), tonumber(ARGV[1])
if (tonumber(found[1]) or 0) ~= tonumber(ARGV[2]) then return 0 end
if ARGV[2] ~= ARGV[3] and seen and clock >= seen and clock - seen <= tonumber(ARGV[4]) then return 0 end
redis.call('HSET', KEYS[1], 'ahead', ARGV[3], 'seen', clock, 'noted', clock - ARGV[3])
if ARGV[5] then
  if redis.call('HLEN', KEYS[1]) > 100 then -- machines of long ago
    for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
      if string.sub(field, 1, 3) == 'at:' then redis.call('HDEL', KEYS[1], field) end
    end
  end
  redis.call('HSET', KEYS[1], 'at:' .. ARGV[5], string.format('%.0f %s', clock - ARGV[3], ARGV[6]))
end
return 1
