"""A recipe for every term: what lumps to make, where to put them and how much each tells, one file a column."""
