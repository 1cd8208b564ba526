"""Writes datasets of games between bots: `python3 dev.py dataset`; `dorfplatz_games.datasets` reads them."""
