-- Common part of the scripts on a running job, prepended to each. KEYS are record, open and inputs.
local record, open = KEYS[1], KEYS[2]
local function now()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
-- The maximum ms of a lease (JOB_LEASE_MS); a longer one was given before the clock was set back.
local LONGEST = 8000
local function free_ranges()
  local free = redis.call('ZRANGEBYSCORE', open, '-inf', now())
  for _, range in ipairs(redis.call('ZRANGEBYSCORE', open, now() + LONGEST + 1000, '+inf')) do
    free[#free + 1] = range
  end
  return free
end
local function in_work()
  local state = redis.call('HGET', record, 'state')
  return state == 'queued' or state == 'running'
end
-- Reserves the number of a new task, if items are free and no task is queued.
local function reserve_task()
  if redis.call('HGET', record, 'called') ~= '' then return '' end
  if #free_ranges() == 0 and redis.call('ZCARD', open) > 0 then return '' end
  local number = redis.call('HINCRBY', record, 'calls', 1)
  redis.call('HSET', record, 'called', number)
  redis.call('HDEL', record, 'missing')
  return tostring(number)
end
local function finish(state)
  redis.call('HSET', record, 'state', state)
  redis.call('HDEL', record, 'payload', 'tally', 'called', 'missing')
  redis.call('DEL', open, KEYS[3])
end
