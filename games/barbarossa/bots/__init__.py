"""Players for Barbarossa: they model, ask, guess, walk and curse, and know no more than their seat's view."""
