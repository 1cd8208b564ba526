-- Refunds a charge of the current window to a counter.
-- KEYS: the counter. ARGV: cost, time of the charge (ms), window in ms, maximum difference of clocks in ms.
-- Returns 1 after a refund.
local spent, left, time = tonumber(redis.call('GET', KEYS[1]) or '0'), redis.call('PTTL', KEYS[1]), redis.call('TIME')
local began = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000) - (tonumber(ARGV[3]) - left)
if spent < tonumber(ARGV[1]) or tonumber(ARGV[2]) + tonumber(ARGV[4]) < began then return 0 end
redis.call('DECRBY', KEYS[1], ARGV[1])
return 1
