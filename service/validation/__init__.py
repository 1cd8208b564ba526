"""Validation of external input, without HTTP: faults, and the parsing of values into structs."""
