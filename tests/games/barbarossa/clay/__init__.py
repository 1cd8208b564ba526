"""Sculptures: formats, pictures, recipes, the modeller and the guesser's view."""
