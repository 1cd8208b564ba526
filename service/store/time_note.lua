-- Notes that a process has watched the store's clock go on, or by how much it was stepped.
-- KEYS time; ARGV what was told in ms: the store's clock, how far it was ahead of the service's time;
--      how far it is ahead by what the process knows, for how many ms nobody doubts the clock after it was watched
-- Answers 1 where that was noted; 0 where another process was faster, or knows better.
local found = redis.call('HMGET', KEYS[1], 'ahead', 'seen')
local seen, clock = tonumber(found[2]), tonumber(ARGV[1])
if (tonumber(found[1]) or 0) ~= tonumber(ARGV[2]) then return 0 end
if ARGV[2] ~= ARGV[3] and seen and clock >= seen and clock - seen <= tonumber(ARGV[4]) then return 0 end
redis.call('HSET', KEYS[1], 'ahead', ARGV[3], 'seen', clock, 'noted', clock - ARGV[3])
return 1
