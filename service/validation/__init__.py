"""Validation of external input, independent of HTTP: error reports, strict JSON, and parsing into structs."""
