"""What the service sends and takes, by subject: sessions, jobs, snapshots, moves, and their events."""
