"""Redis: clients, the names of keys, Lua scripts, and blocking reads."""
