"""The table of Der Hohe Rat: move codes, a faction's holdings, and the council itself; compiled."""
