"""Players for Barbarossa: beliefs, weights, and use of no more than their view."""
