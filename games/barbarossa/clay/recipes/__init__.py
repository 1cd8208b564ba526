"""A recipe for every term: its lumps, their places and their weights, one file a column."""
