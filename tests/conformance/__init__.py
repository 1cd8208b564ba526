"""Requirements of every registered game; a further game needs no line here."""
