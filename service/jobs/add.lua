-- Adds the counts of a lease to the counters of its job, and ends the lease.
-- KEYS[4] counters. ARGV id of the lease, reached, end, items done, ms, ms between two results.
-- Further ARGV: level of the sample of groups (service.jobs.grouping), maximum number of groups, counters with increments.
-- Returns false if the lease is lost. Otherwise returns the number of the next task, and the counters when a
-- result is due: after the last item, and from time to time.
if not in_work() or not redis.call('ZSCORE', open, ARGV[1]) then return false end
redis.call('ZREM', open, ARGV[1])
if ARGV[2] ~= ARGV[3] then redis.call('ZADD', open, 0, string.format('%d-%d-0-', ARGV[2], ARGV[3])) end
local stored = tonumber(redis.call('HGET', KEYS[4], 'sampling') or 0)
local level = math.max(stored, tonumber(ARGV[7]))
local function is_group(name) return string.sub(name, 1, 6) == 'group ' end
local function is_sampled(name)
  return level == 0 or not is_group(name) or tonumber(string.sub(redis.sha1hex(name), 1, 8), 16) % 2 ^ level == 0
end
for i = 9, #ARGV, 2 do
  if is_sampled(ARGV[i]) then redis.call('HINCRBY', KEYS[4], ARGV[i], ARGV[i + 1]) end
end
if level > stored or redis.call('HLEN', KEYS[4]) > tonumber(ARGV[8]) then
  local groups
  repeat
    if groups then level = level + 1 end
    groups = 0
    for _, name in ipairs(redis.call('HKEYS', KEYS[4])) do
      if not is_sampled(name) then redis.call('HDEL', KEYS[4], name) elseif is_group(name) then groups = groups + 1 end
    end
  until groups <= tonumber(ARGV[8])
  if level > 0 then redis.call('HSET', KEYS[4], 'sampling', level) end
end
redis.call('PEXPIREAT', KEYS[4], redis.call('HGET', record, 'expires'))
redis.call('HINCRBY', record, 'done', ARGV[4])
redis.call('HINCRBY', record, 'spent', ARGV[5])
local following = ARGV[2] ~= ARGV[3] and reserve_task() or ''
local told = redis.call('ZCARD', open) == 0 or math.abs(now() - (redis.call('HGET', record, 'told') or 0)) >= tonumber(ARGV[6])
if not told then return {following} end
redis.call('HSET', record, 'told', now())
return {following, redis.call('HGETALL', KEYS[4])}
