-- Stores the devices of a session's seats, which are not part of the log.
-- KEYS session. ARGV devices when loaded, new devices, session id, the seat of which a token is revoked ("" for none).
-- Returns 'gone', 'moved' if the devices have changed, or 'written'.
local found = redis.call('HMGET', KEYS[1], 'revision', 'devices')
if not found[1] then return 'gone' end
if (found[2] or '') ~= ARGV[1] then return 'moved' end
redis.call('HSET', KEYS[1], 'devices', ARGV[2])
if ARGV[4] == '' then return 'written' end
redis.call('HINCRBY', KEYS[1], 'revoked', 1) -- pollers notice it (look.lua) if the message is lost
redis.pcall('PUBLISH', 's:news', ARGV[3] .. ' 0 ' .. ARGV[4])
return 'written'
