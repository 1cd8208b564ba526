"""The stateless engine, the games as data, and what all operations have in common."""
