-- Moves a task from the end of its queue to the place of its caller's turn: self-clocked fair queueing (decision 094).
-- KEYS queue, turns (tasks by the virtual end of their turns), ends (callers by the virtual end of their last turns).
-- ARGV task, caller, milliseconds of a turn.
local queue, turns, ends = KEYS[1], KEYS[2], KEYS[3]
local CLOCK = ''
local function end_of(task) return tonumber(redis.call('ZSCORE', turns, task) or 0) end
local waits = redis.call('LREM', queue, -1, ARGV[1]) == 1
local waiting, is_waiting = redis.call('LRANGE', queue, 0, -1), {}
for _, task in ipairs(waiting) do is_waiting[task] = true end
-- The virtual clock shows the end of the turn that was taken last.
local now = tonumber(redis.call('ZSCORE', ends, CLOCK) or 0)
for _, task in ipairs(redis.call('ZRANGE', turns, 0, -1)) do
  if not is_waiting[task] then
    now = math.max(now, end_of(task))
    redis.call('ZREM', turns, task)
  end
end
if not waits then
  -- A worker was idle, so no caller is owed a turn: all start from zero.
  local last = redis.call('ZREVRANGE', ends, 0, 0, 'WITHSCORES')
  if last[2] then now = math.max(now, tonumber(last[2])) end
end
local before = tonumber(redis.call('ZSCORE', ends, ARGV[2]) or -1)
-- Of two turns with the same end, a caller without recent turns comes first.
local turn_end = before >= now and before + ARGV[3] or now + ARGV[3] - 0.5
redis.call('ZREMRANGEBYSCORE', ends, '-inf', string.format('(%.1f', now))
redis.call('ZADD', ends, now, CLOCK, turn_end, ARGV[2])
redis.call('ZADD', turns, turn_end, ARGV[1])
if not waits then return end
for i = #waiting, 1, -1 do
  if end_of(waiting[i]) <= turn_end then
    redis.call('LINSERT', queue, 'AFTER', waiting[i], ARGV[1])
    return
  end
end
redis.call('LPUSH', queue, ARGV[1])
