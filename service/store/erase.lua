-- Rewrites the record and the log of a session without some texts; this is no change and no log entry.
-- KEYS session, log, decisions of bots. ARGV revision of the loaded session, record, then the id and the text of each entry.
-- Returns 1, or 0 if the session has changed meanwhile.
if redis.call('HGET', KEYS[1], 'revision') ~= ARGV[1] then return 0 end
local life = redis.call('PTTL', KEYS[2])
redis.call('DEL', KEYS[2], KEYS[3])
for place = 3, #ARGV, 2 do redis.call('XADD', KEYS[2], ARGV[place], 'line', ARGV[place + 1]) end
if life > 0 then redis.call('PEXPIRE', KEYS[2], life) end
redis.call('HSET', KEYS[1], 'record', ARGV[2])
return 1
