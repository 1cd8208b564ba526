"""What is said to the person at the terminal."""

from __future__ import annotations


def say(sentence: str) -> None:
    """Print a sentence at once."""
    print(f"dorfplatz: {sentence}", flush=True)
