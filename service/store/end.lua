-- Ends an operation that is still the caller's: with an answer to repeat, or with "" so that it may be tried again.
-- KEYS operation; ARGV mark, answer, milliseconds to remember it
if redis.call('HGET', KEYS[1], 'mark') ~= ARGV[1] then return 0 end
if ARGV[2] == '' then return redis.call('DEL', KEYS[1]) end
redis.call('HSET', KEYS[1], 'answer', ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 1
