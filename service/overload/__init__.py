"""Overload: refuses requests that would wait too long. Requests of the lowest priority are refused first."""
