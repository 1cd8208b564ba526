"""Redis: clients, key names, Lua scripts, and blocking reads."""
