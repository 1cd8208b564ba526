"""Conversion of pictures to PNG, padding, deltas, and a cache. This package contains no HTTP."""
