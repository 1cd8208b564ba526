"""Der Herr der Wichtel alone."""
