"""Redis: clients, keys, scripts and blocking reads."""
