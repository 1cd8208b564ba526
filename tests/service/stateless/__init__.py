"""The stateless engine, the games as data, and common properties of all operations."""
