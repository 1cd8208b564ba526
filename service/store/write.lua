-- Writes one change of a session, or nothing.
-- KEYS session, log, due, the index of listed sessions, and that of its founder where that is an API key
-- ARGV revision and standing answers that it was made at, seat, operation ("" for none), operations kept per seat,
--      life in ms of a session in which somebody has moved, of one in which nobody has, whether this is such a move
--      (1 or 0), session's name, when something is due at it ("" for never), line, the time,
--      calls to be told of (parted by spaces), its entry among the listed sessions with + or - in front ("" for none),
--      then fields and values
-- Answers {'gone'}, {'done', revision} where the operation was done before, {'moved'} where the session is another,
-- or {'written', revision}.
local seat, operation = 'done' .. ARGV[3], ARGV[4]
local found = redis.call('HMGET', KEYS[1], 'revision', 'standing', seat, 'lasting')
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
if ARGV[10] == '' then
  redis.call('ZREM', KEYS[3], ARGV[9])
else
  redis.call('ZADD', KEYS[3], ARGV[10], ARGV[9])
end
if string.sub(ARGV[14], 1, 1) == '+' then
  redis.call('ZADD', KEYS[4], 0, string.sub(ARGV[14], 2))
elseif ARGV[14] ~= '' then
  redis.call('ZREM', KEYS[4], string.sub(ARGV[14], 2))
end
redis.call('XADD', KEYS[2], revision .. '-0', 'line', ARGV[11])
if KEYS[5] then redis.call('PEXPIRE', KEYS[5], ARGV[6]) end
redis.call('HSET', KEYS[1], 'revision', revision, unpack(ARGV, 15))
if operation ~= '' then
  done = done .. ';' .. operation .. '=' .. revision
  local _, kept = string.gsub(done, ';', '')
  if kept > tonumber(ARGV[5]) then done = string.sub(done, (string.find(done, ';', 2, true))) end
  redis.call('HSET', KEYS[1], seat, done)
end
-- One of an earlier release has no mark, and more than the short life before it.
local lasting = found[4] or ARGV[8] == '1' or redis.call('PTTL', KEYS[1]) > tonumber(ARGV[7])
if lasting and not found[4] then redis.call('HSET', KEYS[1], 'lasting', 1) end
local life = lasting and ARGV[6] or ARGV[7]
redis.call('PEXPIRE', KEYS[1], life)
redis.call('PEXPIRE', KEYS[2], life)
for call in string.gmatch(ARGV[13], '%S+') do
  local at, text = string.match(call, '^(%d+)@(.+)$') -- one that is told later names its time
  redis.call('ZADD', KEYS[3], at or ARGV[12], text or call)
end
-- Who listens hears it at once; who may not be told, or is not, finds it when it looks (service.store.feed).
redis.pcall('PUBLISH', 's:news', ARGV[9] .. ' ' .. revision .. ' ' .. ARGV[11])
return {'written', revision}
