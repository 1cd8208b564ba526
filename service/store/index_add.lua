-- Enters what an owner has made into its index, and returns some entries of it, of which nothing may be kept any more.
-- KEYS index; ARGV its life in ms, then the new entries
for at = 2, #ARGV do redis.call('ZADD', KEYS[1], 0, ARGV[at]) end
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return redis.call('ZRANDMEMBER', KEYS[1], 2 * (#ARGV - 1) + 1)
