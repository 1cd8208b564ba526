-- Writes one change of a session, or nothing.
-- KEYS session, log, due
-- ARGV revision and standing answers that it was made at, seat, operation ("" for none), operations kept per seat,
--      life in ms, session's name, when something is due at it ("" for never), line, the time,
--      calls to be told of (parted by spaces), then fields and values
-- Answers {'gone'}, {'done', revision} where the operation was done before, {'moved'} where the session is another,
-- or {'written', revision}.
local seat, operation = 'done' .. ARGV[3], ARGV[4]
local found = redis.call('HMGET', KEYS[1], 'revision', 'standing', seat)
if not found[1] then return {'gone'} end
local done = found[3] or ''
if operation ~= '' then
  local name = ';' .. operation .. '='
  local at = string.find(done, name, 1, true)
  if at then return {'done', tonumber(string.match(done, '^%d+', at + #name))} end
end
if found[1] ~= ARGV[1] or found[2] ~= ARGV[2] then return {'moved'} end
-- What can fail comes first, a due set or a log of the wrong kind: then the session stays as it was.
local revision = tonumber(found[1]) + 1
if ARGV[8] == '' then
  redis.call('ZREM', KEYS[3], ARGV[7])
else
  redis.call('ZADD', KEYS[3], ARGV[8], ARGV[7])
end
redis.call('XADD', KEYS[2], revision .. '-0', 'line', ARGV[9])
redis.call('HSET', KEYS[1], 'revision', revision, unpack(ARGV, 12))
if operation ~= '' then
  done = done .. ';' .. operation .. '=' .. revision
  local _, kept = string.gsub(done, ';', '')
  if kept > tonumber(ARGV[5]) then done = string.sub(done, (string.find(done, ';', 2, true))) end
  redis.call('HSET', KEYS[1], seat, done)
end
redis.call('PEXPIRE', KEYS[1], ARGV[6])
redis.call('PEXPIRE', KEYS[2], ARGV[6])
for call in string.gmatch(ARGV[11], '%S+') do redis.call('ZADD', KEYS[3], ARGV[10], call) end
return {'written', revision}
