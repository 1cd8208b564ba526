"""The table of Der Herr der Wichtel: cards, move codes, seats, the square, and the memory; compiled."""
