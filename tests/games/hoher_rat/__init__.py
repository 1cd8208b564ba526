"""Tests of Der Hohe Rat."""
