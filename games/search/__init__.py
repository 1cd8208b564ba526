"""Choosing moves in any game, from the tables of the core alone: tree search over information sets, and its advice."""
