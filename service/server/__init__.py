"""The web server: uvicorn through its public interface, a keeper of its processes, and streams as coroutines."""
