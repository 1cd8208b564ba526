-- Records that a process has watched the store's clock, or the amount by which the clock was stepped.
-- KEYS time. ARGV the store's clock and its difference to the service's time, as returned by time.lua, in ms.
--      The difference that the process has computed, the number of ms that the clock is trusted after that.
--      Optionally the process's machine, and its monotonic time when it read the clock.
-- Returns 1 if that was recorded. Returns 0 if another process was faster, or has better data.
local found = redis.call('HMGET', KEYS[1], 'ahead', 'seen')
local seen, clock = tonumber(found[2]), tonumber(ARGV[1])
if (tonumber(found[1]) or 0) ~= tonumber(ARGV[2]) then return 0 end
if ARGV[2] ~= ARGV[3] and seen and clock >= seen and clock - seen <= tonumber(ARGV[4]) then return 0 end
redis.call('HSET', KEYS[1], 'ahead', ARGV[3], 'seen', clock, 'noted', clock - ARGV[3])
if ARGV[5] then
  if redis.call('HLEN', KEYS[1]) > 100 then -- entries of machines that no longer run
    for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
      if string.sub(field, 1, 3) == 'at:' then redis.call('HDEL', KEYS[1], field) end
    end
  end
  redis.call('HSET', KEYS[1], 'at:' .. ARGV[5], string.format('%.0f %s', clock - ARGV[3], ARGV[6]))
end
return 1
