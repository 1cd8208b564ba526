"""Games between bots, many of them: played, counted, and given intervals."""
