"""Work given to the workers: asking for it, looking at it, and calling it off."""
