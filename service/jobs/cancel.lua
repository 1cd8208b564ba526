-- Cancels a job.
-- KEYS record, open, inputs. Returns the number of the queued task and the ids of the leases if this call ended
-- the job, otherwise false.
local state = redis.call('HGET', KEYS[1], 'state')
if state ~= 'queued' and state ~= 'running' then return false end
local found = redis.call('ZRANGE', KEYS[2], 0, -1)
table.insert(found, 1, redis.call('HGET', KEYS[1], 'called'))
redis.call('HSET', KEYS[1], 'state', 'canceled')
redis.call('HDEL', KEYS[1], 'payload', 'tally', 'called', 'missing')
redis.call('DEL', KEYS[2], KEYS[3])
return found
