-- Keeps a request while no web server is ready, 20 seconds at most: every web container may be replaced at once.
local MAX_TURNS = 200
local TURN_MS = 100

local function is_ready()
  for _, server in pairs(core.backends["web"].servers) do
    local status = server:get_stats()["status"]
    if status == "UP" or status:sub(1, 3) == "UP " then
      return true
    end
  end
  return false
end

core.register_action("wait_for_web", { "http-req" }, function()
  for _ = 1, MAX_TURNS do
    if is_ready() then
      return
    end
    core.msleep(TURN_MS)
  end
end)
