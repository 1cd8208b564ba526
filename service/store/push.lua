-- Stores or removes the push subscription of a seat, which is not part of the log.
-- KEYS session.
-- ARGV revision and names of subscriptions when loaded, new names, the seat's field, its subscription ("" for none).
-- Returns 'gone', 'moved' if the session has changed, or 'written'.
local found = redis.call('HMGET', KEYS[1], 'revision', 'push')
if not found[1] then return 'gone' end
if found[1] ~= ARGV[1] or (found[2] or '') ~= ARGV[2] then return 'moved' end
redis.call('HSET', KEYS[1], 'push', ARGV[3], ARGV[4], ARGV[5])
return 'written'
