-- Enters what an owner has made into its index, and forgets some entries of which nothing is kept any more.
-- KEYS index; ARGV its life in ms, an entry (only earlier ones are looked at), what stands before and after a name in
--      the key of what it names, then the new entries
for at = 5, #ARGV do redis.call('ZADD', KEYS[1], 0, ARGV[at]) end
redis.call('PEXPIRE', KEYS[1], ARGV[1])
for _, entry in ipairs(redis.call('ZRANDMEMBER', KEYS[1], 2 * (#ARGV - 4) + 1)) do
  if entry < ARGV[2] and redis.call('EXISTS', ARGV[3] .. string.sub(entry, 13) .. ARGV[4]) == 0 then
    redis.call('ZREM', KEYS[1], entry)
  end
end
return 1
