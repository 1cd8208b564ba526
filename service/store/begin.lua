-- Begins an operation that its client has named, unless it came before.
-- KEYS operation; ARGV fingerprint, mark, the service's time (ms), milliseconds it may take, milliseconds to remember it
-- Answers {'other'} where the name came with another fingerprint, {'done', answer}, {'running'}, or {'begun'}.
local found = redis.call('HMGET', KEYS[1], 'fingerprint', 'answer', 'deadline')
if found[1] then
  if found[1] ~= ARGV[1] then return {'other'} end
  if found[2] then return {'done', found[2]} end
  if tonumber(found[3]) > tonumber(ARGV[3]) then return {'running'} end
end
redis.call('HSET', KEYS[1], 'fingerprint', ARGV[1], 'mark', ARGV[2], 'deadline', ARGV[3] + ARGV[4])
redis.call('PEXPIRE', KEYS[1], ARGV[5])
return {'begun'}
