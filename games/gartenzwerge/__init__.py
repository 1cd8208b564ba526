"""Gartenzwerge e.V. by Roman Mathar, for two to six members of a club of dwarf breeders."""
