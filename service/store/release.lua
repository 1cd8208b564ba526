-- Gives up the right to play a session's bots, if it is still the caller's.
-- KEYS bots; ARGV mark
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
return 1
