"""The one way in which tests read what processes of ours wrote: a process that has died by itself fails the test."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

_CRASHED: Final = re.compile(r".*(?:SIGSEGV|Segmentation fault|was sent SIG(?!KILL|TERM)).*")
_KILLED: Final = re.compile(r".*was sent SIGKILL.*")


def read_log(log: Path, *, kills: bool = False) -> str:
    """Return a log, unless a process in it has ended by a signal; `kills` says that the test itself sends SIGKILL."""
    text = log.read_text("utf-8", errors="replace")
    found = _CRASHED.search(text) or (None if kills else _KILLED.search(text))
    assert found is None, f"{log}: {found.group()}"
    return text
