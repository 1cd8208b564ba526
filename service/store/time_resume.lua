-- Restarts the service's time where it stopped when no process watched the store's clock any more.
-- KEYS time. ARGV the number of ms that the store's clock is trusted after it was watched, maximum number of stops.
-- Returns 1 if this call restarted it. Returns 0 if the time was running, or another process has restarted it.
local found, time = redis.call('HMGET', KEYS[1], 'ahead', 'seen', 'noted', 'stops'), redis.call('TIME')
local clock = time[1] * 1000 + math.floor(time[2] / 1000)
local ahead, seen, noted = tonumber(found[1]) or 0, tonumber(found[2]), tonumber(found[3])
if not noted or (seen and clock >= seen and clock - seen <= tonumber(ARGV[1])) then return 0 end
local resumed = noted + tonumber(ARGV[1])
local length = clock - resumed - ahead
if length > 0 then
  local stops = (found[4] or '') .. string.format('%.0f %.0f;', resumed, length)
  local _, kept = string.gsub(stops, ';', '')
  if kept > tonumber(ARGV[2]) then stops = string.sub(stops, string.find(stops, ';', 1, true) + 1) end
  redis.call('HSET', KEYS[1], 'stops', stops)
end
redis.call('HSET', KEYS[1], 'ahead', clock - resumed, 'seen', clock, 'noted', resumed)
return 1
