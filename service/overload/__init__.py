"""Overload: refuses requests that would wait too long, those of the lowest priority first."""
