"""Tests of the common parts of all games."""
