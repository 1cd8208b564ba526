"""The arena: agents play duplicate deals in all seats, and are rated like bots in tournaments."""
