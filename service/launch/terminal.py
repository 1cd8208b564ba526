"""Prints messages to the terminal."""

from __future__ import annotations

import time
from typing import Final

BEGAN: Final = "DORFPLATZ_BEGAN"
"""Environment variable with the start time of `dev.py`, in seconds since 1970."""

PROGRESS_SECONDS: Final = 10
"""Interval between progress messages during a long wait."""


def say(sentence: str) -> None:
    """Print a sentence without buffering."""
    print(f"dorfplatz: {sentence}", flush=True)


class ProgressBar:
    """Prints the elapsed time at intervals during a long wait."""

    def __init__(self, sentence: str) -> None:
        self._sentence = sentence
        self._began = self._told = time.monotonic()

    def tell(self) -> None:
        """Print the elapsed time, unless the last message is too recent."""
        now = time.monotonic()
        if now - self._told >= PROGRESS_SECONDS:
            self._told = now
            say(f"{self._sentence}, after {now - self._began:.0f} s")
