"""Series of games between bots: play, count and rate them."""
