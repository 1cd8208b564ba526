-- Adds entries to an owner's index, and returns some of its entries, whose objects may no longer exist.
-- KEYS index. ARGV its lifetime in ms, then the new entries.
for at = 2, #ARGV do redis.call('ZADD', KEYS[1], 0, ARGV[at]) end
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return redis.call('ZRANDMEMBER', KEYS[1], 2 * (#ARGV - 1) + 1)
