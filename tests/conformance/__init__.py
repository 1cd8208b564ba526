"""What every registered game must fulfil, whatever it is; a further game needs no line here."""
