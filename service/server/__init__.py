"""The web server: uvicorn through its public interface, a keeper that runs its processes, and writers of streams."""
