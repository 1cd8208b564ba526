-- Leases a range of free items.
-- ARGV number of the starting task, its id, ms, minimum and maximum of items, maximum of attempts, problem.
-- Returns the payload and range, with the number of the next task. The range is empty if no items are free.
-- Returns false if the job has ended.
if not in_work() then return false end
if redis.call('HGET', record, 'called') == ARGV[1] then redis.call('HSET', record, 'called', '') end
redis.call('HSET', record, 'state', 'running')
local first, last, lost, holder, found
for _, range in ipairs(free_ranges()) do
  local f, e, l, h = string.match(range, '^(%d+)-(%d+)-(%d+)-(.*)$')
  if not first or tonumber(f) < first then first, last, lost, holder, found = tonumber(f), tonumber(e), l, h, range end
end
if not first then return {redis.call('HGET', record, 'payload'), 0, 0, 0, ''} end
redis.call('ZREM', open, found)
if holder ~= '' then lost = lost + 1 end
if tonumber(lost) >= tonumber(ARGV[6]) then
  redis.call('HSET', record, 'problem', ARGV[7])
  finish('failed')
  return false
end
local size = math.max(tonumber(ARGV[4]), math.min(tonumber(ARGV[5]), math.ceil((last - first) / 4)))
if first + size < last then
  redis.call('ZADD', open, 0, string.format('%d-%d-%d-', first + size, last, lost))
  last = first + size
end
redis.call('ZADD', open, now() + ARGV[3], string.format('%d-%d-%d-%s', first, last, lost, ARGV[2]))
redis.call('HINCRBY', record, 'attempts', 1)
if redis.call('HGET', record, 'items') == '1' then
  redis.call('HSET', record, 'done', 0)
  redis.call('HDEL', record, 'partial')
end
return {redis.call('HGET', record, 'payload'), first, last, tonumber(lost), reserve_task()}
