"""The web server. A parent process (the keeper) starts and watches the web processes, which run uvicorn."""
