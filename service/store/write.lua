-- Writes one change of a session, or nothing.
-- KEYS session, log, due, the index of listed sessions, the founder's index if the founder is an API key.
-- ARGV, in this order:
-- - revision and standing answers of the loaded session.
-- - seat, operation ("" for none), limit of stored operations per seat.
-- - lifetime in ms after the first move, lifetime in ms before it, whether the change is such a move (1 or 0).
-- - session id, due time ("" for never), log entry, time.
-- - notifications separated by spaces, entry in the listed index with + or - in front ("" for none).
-- - names of the push subscriptions of the loaded session.
-- - fields and values.
-- Returns {'gone'}, {'done', revision} if the operation was done before, {'moved'} if the session has changed,
-- or {'written', revision}.
local seat, operation = 'done' .. ARGV[3], ARGV[4]
local found = redis.call('HMGET', KEYS[1], 'revision', 'standing', seat, 'lasting', 'push')
if not found[1] then return {'gone'} end
local done = found[3] or ''
if operation ~= '' then
  local name = ';' .. operation .. '='
  local at = string.find(done, name, 1, true)
  if at then return {'done', tonumber(string.match(done, '^%d+', at + #name))} end
end
if found[1] ~= ARGV[1] or found[2] ~= ARGV[2] or (found[5] or '') ~= ARGV[15] then return {'moved'} end
-- Commands that can fail on a due set or log of the wrong type come first, so that the session stays unchanged.
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
redis.call('HSET', KEYS[1], 'revision', revision, unpack(ARGV, 16))
if operation ~= '' then
  done = done .. ';' .. operation .. '=' .. revision
  local _, kept = string.gsub(done, ';', '')
  if kept > tonumber(ARGV[5]) then done = string.sub(done, (string.find(done, ';', 2, true))) end
  redis.call('HSET', KEYS[1], seat, done)
end
-- A session of an earlier release has no mark, and more lifetime left than the short one.
local lasting = found[4] or ARGV[8] == '1' or redis.call('PTTL', KEYS[1]) > tonumber(ARGV[7])
if lasting and not found[4] then redis.call('HSET', KEYS[1], 'lasting', 1) end
local life = lasting and ARGV[6] or ARGV[7]
redis.call('PEXPIRE', KEYS[1], life)
redis.call('PEXPIRE', KEYS[2], life)
for call in string.gmatch(ARGV[13], '%S+') do
  local at, text = string.match(call, '^(%d+)@(.+)$') -- a delayed notification contains its time
  redis.call('ZADD', KEYS[3], at or ARGV[12], text or call)
end
-- Subscribers receive the entry at once; pollers find it at their next poll (service.store.feed).
redis.pcall('PUBLISH', 's:news', ARGV[9] .. ' ' .. revision .. ' ' .. ARGV[11])
return {'written', revision}
