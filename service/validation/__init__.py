"""Validation of external input, without HTTP: faults, and parsing of values into structs."""
