-- Begins an operation with an Idempotency-Key, unless it is known.
-- KEYS operation. ARGV fingerprint, mark, the service's time, ms until a repetition takes over, ms of storage.
-- Returns {'other'} for a key with another fingerprint, {'done', response}, {'running'}, or {'begun'}.
local found = redis.call('HMGET', KEYS[1], 'fingerprint', 'answer', 'deadline')
if found[1] then
  if found[1] ~= ARGV[1] then return {'other'} end
  if found[2] then return {'done', found[2]} end
  if tonumber(found[3]) > tonumber(ARGV[3]) then return {'running'} end
end
redis.call('HSET', KEYS[1], 'fingerprint', ARGV[1], 'mark', ARGV[2], 'deadline', ARGV[3] + ARGV[4])
redis.call('PEXPIRE', KEYS[1], ARGV[5])
return {'begun'}
