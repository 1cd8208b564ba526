"""Sculptures: their formats, limits and pictures, a recipe for every term, a modeller and a guesser's view."""
