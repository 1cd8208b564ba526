"""Tests of each game alone, and of their common parts."""
