"""The arena: agents of anybody's play duplicate deals in all seats and are rated as bots in tournaments are."""
