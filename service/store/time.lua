#!lua flags=no-writes
-- Tells what the time of the service follows from.
-- KEYS time; ARGV for how many ms nobody doubts the store's clock after a process has watched it go on; the machine
-- Answers, in ms: the store's clock, how far it is ahead of the service's time, whether it was watched just now, the
-- latest time of the service that was noted; the stops, each as the time when it ended and its length; and for the
-- machine a service time with the monotonic time it belongs to.
local found = redis.call('HMGET', KEYS[1], 'ahead', 'seen', 'noted', 'stops', 'at:' .. ARGV[2])
local time, seen = redis.call('TIME'), tonumber(found[2])
local clock = time[1] * 1000 + math.floor(time[2] / 1000)
local watched = seen and clock >= seen and clock - seen <= tonumber(ARGV[1])
local noted = tonumber(found[3]) or 0
return {clock, tonumber(found[1]) or 0, watched and 1 or 0, noted, found[4] or '', found[5] or ''}
