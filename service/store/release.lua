-- Gives a right up, if it is still the caller's.
-- KEYS right; ARGV mark
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
return 1
