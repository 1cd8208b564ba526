"""Der Herr der Wichtel by Ralf Sandfuchs, for three to five players."""
