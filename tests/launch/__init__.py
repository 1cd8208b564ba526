"""The set-up: programs that start, build and check the rest."""
