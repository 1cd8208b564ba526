#!lua flags=no-writes
-- Returns the data from which the service's time follows.
-- KEYS time. ARGV the number of ms that the store's clock is trusted after it was watched, the machine.
-- Returns, in ms: the store's clock, its difference to the service's time, whether it was watched recently,
-- and the latest noted time of the service. Also returns the stops, each as its end and its length.
-- For the machine, it returns a time of the service with the matching monotonic time.
local found = redis.call('HMGET', KEYS[1], 'ahead', 'seen', 'noted', 'stops', 'at:' .. ARGV[2])
local time, seen = redis.call('TIME'), tonumber(found[2])
local clock = time[1] * 1000 + math.floor(time[2] / 1000)
local watched = seen and clock >= seen and clock - seen <= tonumber(ARGV[1])
local noted = tonumber(found[3]) or 0
return {clock, tonumber(found[1]) or 0, watched and 1 or 0, noted, found[4] or '', found[5] or ''}
