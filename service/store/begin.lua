-- Begins an operation that its client has named, unless it came before.
-- KEYS operation; ARGV fingerprint, mark, milliseconds it may take, milliseconds to remember it
-- Answers {'other'} where the name came with another fingerprint, {'done', answer}, {'running'}, or {'begun'}.
local found = redis.call('HMGET', KEYS[1], 'fingerprint', 'answer', 'deadline')
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if found[1] then
  if found[1] ~= ARGV[1] then return {'other'} end
  if found[2] then return {'done', found[2]} end
  if tonumber(found[3]) > now then return {'running'} end
end
redis.call('HSET', KEYS[1], 'fingerprint', ARGV[1], 'mark', ARGV[2], 'deadline', now + ARGV[3])
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return {'begun'}
