-- Ends an operation that is still the caller's: with a response for repetitions, or with "" so that it may be retried.
-- KEYS operation. ARGV mark, response, ms of storage, ids of the sessions in the response, separated by spaces.
if redis.call('HGET', KEYS[1], 'mark') ~= ARGV[1] then return 0 end
if ARGV[2] == '' then return redis.call('DEL', KEYS[1]) end
redis.call('HSET', KEYS[1], 'answer', ARGV[2], 'about', ARGV[4])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 1
