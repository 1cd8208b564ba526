-- Gives back to a counter what was charged in the window that is open now.
-- KEYS counter; ARGV cost, when it was charged (ms), window in ms, how far clocks may differ in ms
-- Answers 1 where it was given back.
local spent, left, time = tonumber(redis.call('GET', KEYS[1]) or '0'), redis.call('PTTL', KEYS[1]), redis.call('TIME')
local began = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000) - (tonumber(ARGV[3]) - left)
if spent < tonumber(ARGV[1]) or tonumber(ARGV[2]) + tonumber(ARGV[4]) < began then return 0 end
redis.call('DECRBY', KEYS[1], ARGV[1])
return 1
