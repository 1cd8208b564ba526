"""The table of Der Herr der Wichtel: cards, move codes, seats, the square, and what is remembered; compiled."""
