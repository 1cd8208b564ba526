"""Checks of what came from outside, without HTTP: faults, and reading values into structs."""
