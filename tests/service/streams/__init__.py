"""Those who listen: streams, long polls, presence, pictures and tickets, in process and through a real server."""
