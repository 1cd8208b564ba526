"""The set-up: what starts, builds and checks the rest."""
