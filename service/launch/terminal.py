"""What is said to the person at the terminal."""

from __future__ import annotations

import time
from typing import Final

BEGAN: Final = "DORFPLATZ_BEGAN"
"""The environment's name for the time at which `dev.py` was started, in seconds since 1970."""

PROGRESS_SECONDS: Final = 10
"""How often a long wait is told of."""


def say(sentence: str) -> None:
    """Print a sentence at once."""
    print(f"dorfplatz: {sentence}", flush=True)


class ProgressBar:
    """Tells of a wait that goes on and on."""

    def __init__(self, sentence: str) -> None:
        self._sentence = sentence
        self._began = self._told = time.monotonic()

    def tell(self) -> None:
        """Say how long it has been, unless that was said a moment ago."""
        now = time.monotonic()
        if now - self._told >= PROGRESS_SECONDS:
            self._told = now
            say(f"{self._sentence}, after {now - self._began:.0f} s")
