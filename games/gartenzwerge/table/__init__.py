"""The club's table: state, employment, deals and the end of a round; compiled."""
