"""Messages to the person at the terminal."""

from __future__ import annotations

import time
from typing import Final

BEGAN: Final = "DORFPLATZ_BEGAN"
"""Environment variable with the time at which `dev.py` was started, in seconds since 1970."""

PROGRESS_SECONDS: Final = 10
"""Interval between messages during a long wait."""


def say(sentence: str) -> None:
    """Print a sentence without buffering."""
    print(f"dorfplatz: {sentence}", flush=True)


class ProgressBar:
    """Messages that show progress during a long wait."""

    def __init__(self, sentence: str) -> None:
        self._sentence = sentence
        self._began = self._told = time.monotonic()

    def tell(self) -> None:
        """Print the time waited so far. Print at most once per interval."""
        now = time.monotonic()
        if now - self._told >= PROGRESS_SECONDS:
            self._told = now
            say(f"{self._sentence}, after {now - self._began:.0f} s")
