"""Players for Barbarossa: what they believe, how they weigh it, and that they know no more than their view."""
