-- Reserves the number of a task for a job without one.
-- ARGV the number of a lost task, or "". Returns the number of a new task, if one is needed.
if not in_work() then return '' end
if ARGV[1] ~= '' and redis.call('HGET', record, 'called') == ARGV[1] then redis.call('HSET', record, 'called', '') end
return reserve_task()
