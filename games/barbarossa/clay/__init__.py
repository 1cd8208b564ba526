"""Sculptures: their formats, limits and pictures, a recipe for every term, a modeller and what a guesser sees."""
