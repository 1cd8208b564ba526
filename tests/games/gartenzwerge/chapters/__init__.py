"""The chapters of the oracle: the rules of Gartenzwerge e.V. once more, slowly and plainly."""
