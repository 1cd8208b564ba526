"""Sessions stored by earlier versions continue."""
