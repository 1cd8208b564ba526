"""The web server: uvicorn, a parent process (the keeper) that starts and watches web processes, and stream writers."""
