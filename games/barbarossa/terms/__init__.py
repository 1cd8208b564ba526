"""The things that are modelled, the questions about them and their answers."""
