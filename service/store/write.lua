-- Writes one change of a session, or nothing.
-- KEYS session, log, due
-- ARGV revision it was made at, seat, operation ("" for none), operations kept per seat, record, status, versions,
--      opened, line, life in ms, session's name, due time ("" for none)
-- Answers {'gone'}, {'done', revision} where the operation was done before, {'moved'} where the revision is another,
-- or {'written', revision}.
local seat, operation = 'done' .. ARGV[2], ARGV[3]
local found = redis.call('HMGET', KEYS[1], 'revision', seat)
if not found[1] then return {'gone'} end
local done = found[2] or ''
if operation ~= '' then
  local name = ';' .. operation .. '='
  local at = string.find(done, name, 1, true)
  if at then return {'done', tonumber(string.match(done, '^%d+', at + #name))} end
end
if found[1] ~= ARGV[1] then return {'moved'} end
local revision = redis.call('HINCRBY', KEYS[1], 'revision', 1)
redis.call('HSET', KEYS[1], 'record', ARGV[5], 'status', ARGV[6], 'versions', ARGV[7], 'opened', ARGV[8])
if operation ~= '' then
  done = done .. ';' .. operation .. '=' .. revision
  local _, kept = string.gsub(done, ';', '')
  if kept > tonumber(ARGV[4]) then done = string.sub(done, (string.find(done, ';', 2, true))) end
  redis.call('HSET', KEYS[1], seat, done)
end
redis.call('XADD', KEYS[2], revision .. '-0', 'line', ARGV[9])
redis.call('PEXPIRE', KEYS[1], ARGV[10])
redis.call('PEXPIRE', KEYS[2], ARGV[10])
if ARGV[12] == '' then
  redis.call('ZREM', KEYS[3], ARGV[11])
else
  redis.call('ZADD', KEYS[3], ARGV[12], ARGV[11])
  redis.call('PEXPIRE', KEYS[3], ARGV[10])
end
return {'written', revision}
