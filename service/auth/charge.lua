-- Charges a caller: adds a cost to each counter and members to each set, completely or not at all.
-- KEYS: counters, then sets, then receipts. If the first receipt exists, this was charged before.
-- ARGV: the numbers of counters, sets and members. For each counter: limit, cost, window in ms.
--       For each set: limit, score, lifetime in ms. Then the members, and the value of each receipt.
-- Returns the obstacle: its index among counters and sets, 0 for none, -1 for the receipt.
-- Then, for each counter, the amount spent and the remaining ms of its window (below 0 if none is open).
local counters, sets, members = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local receipts = counters + sets
local obstacle = 0
if #KEYS > receipts and redis.call('EXISTS', KEYS[receipts + 1]) == 1 then obstacle = -1 end
local at = 4
for each = 1, counters do
  local spent, cost, window = tonumber(redis.call('GET', KEYS[each]) or '0'), tonumber(ARGV[at + 1]), ARGV[at + 2]
  -- A window that lasts longer than it may was opened before the store's clock was set back.
  if redis.call('PTTL', KEYS[each]) > tonumber(window) then redis.call('PEXPIRE', KEYS[each], window) end
  -- The limit may have been lowered below the amount spent. A charge of 0 still succeeds.
  if obstacle == 0 and cost > 0 and spent + cost > tonumber(ARGV[at]) then obstacle = each end
  at = at + 3
end
for each = counters + 1, receipts do
  if obstacle == 0 and redis.call('ZCARD', KEYS[each]) + members > tonumber(ARGV[at]) then obstacle = each end
  at = at + 3
end
local answer, shortest = {obstacle}, 0
for each = 1, counters do
  local cost, window = tonumber(ARGV[3 * each + 2]), ARGV[3 * each + 3]
  if obstacle == 0 and cost > 0 then
    redis.call('INCRBY', KEYS[each], cost)
    if redis.call('PTTL', KEYS[each]) < 0 then redis.call('PEXPIRE', KEYS[each], window) end
  end
  local left = redis.call('PTTL', KEYS[each])
  if left > 0 and (shortest == 0 or left < shortest) then shortest = left end
  answer[2 * each], answer[2 * each + 1] = tonumber(redis.call('GET', KEYS[each]) or '0'), left
end
if obstacle ~= 0 then return answer end
for each = counters + 1, receipts do
  for place = at, at + members - 1 do redis.call('ZADD', KEYS[each], ARGV[3 * each + 2], ARGV[place]) end
  if members > 0 then redis.call('PEXPIRE', KEYS[each], ARGV[3 * each + 3]) end
end
for each = receipts + 1, #KEYS do -- a receipt counts as long as the window that it is of
  redis.call('SET', KEYS[each], ARGV[at + members + each - receipts - 1], 'PX', math.max(shortest, 1))
end
return answer
