-- Stores and publishes a phrase of a seat, once per operation. Phrases are not part of the log.
-- KEYS session, its phrases.
-- ARGV session id, seat, operation, phrase as JSON, time in ms.
--      Then the start of the window in ms, a seat's phrases per window, and the phrases to keep.
-- Returns {'gone'}, {'spent', time of the first phrase in the window}, or {'sent', number, phrase as JSON}.
local life = redis.call('PTTL', KEYS[1])
if life == -2 then return {'gone'} end
local count, first = 0, nil
for _, entry in ipairs(redis.call('XRANGE', KEYS[2], '-', '+')) do
  local seat, operation, at, line = entry[2][2], entry[2][4], entry[2][6], entry[2][8]
  if seat == ARGV[2] then
    if operation == ARGV[3] then return {'sent', tonumber(string.match(entry[1], '^%d+')), line} end
    if tonumber(at) > tonumber(ARGV[6]) then
      count, first = count + 1, first or tonumber(at)
    end
  end
end
if count >= tonumber(ARGV[7]) then return {'spent', first} end
local number = tonumber(redis.call('HGET', KEYS[1], 'phrases') or '0') + 1
redis.call('XADD', KEYS[2], 'MAXLEN', ARGV[8], number .. '-0',
  'seat', ARGV[2], 'operation', ARGV[3], 'at', ARGV[5], 'phrase', ARGV[4])
redis.call('HSET', KEYS[1], 'phrases', number) -- pollers notice it (look.lua) if the message is lost
if life > 0 then redis.call('PEXPIRE', KEYS[2], life) end
redis.pcall('PUBLISH', 's:news', ARGV[1] .. ' -' .. number .. ' ' .. ARGV[4])
return {'sent', number, ARGV[4]}
