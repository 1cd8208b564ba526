"""Sculptures: formats, pictures, recipes, the modeller and what a guesser sees."""
