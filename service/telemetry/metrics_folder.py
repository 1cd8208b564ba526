"""Where a web server keeps and serves its figures: a folder that all its processes share, and a port of its own.

Of a server that has ended nothing is left.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import MutableMapping
from pathlib import Path
from typing import Final

VARIABLE: Final = "PROMETHEUS_MULTIPROC_DIR"
"""Names the folder; prometheus_client looks for it while it is imported."""

FOLDER_PREFIX: Final = "dorfplatz-metrics-"
MARK_FILE: Final = "ours"
"""Lies in a folder that is locked; one without it is not ours, or is only being made."""

METRICS_PATH: Final = "/metrics"


def provide_metrics_folder(environment: MutableMapping[str, str]) -> Path | None:
    """Name an empty folder in the environment, and return it where it is ours to remove at the end.

    A folder that is named already is emptied. One of ours is locked while any process of its server lives, so that
    systemd does not clean it away; those that servers have left behind that were killed are removed.
    """
    if named := environment.get(VARIABLE):
        for figures in Path(named).glob("*.db"):
            figures.unlink(missing_ok=True)
        return None
    for folder in Path(tempfile.gettempdir()).glob(f"{FOLDER_PREFIX}*"):
        if (folder / MARK_FILE).exists() and (left := _lock(folder)) is not None:
            shutil.rmtree(folder, ignore_errors=True)
            os.close(left)
    ours = Path(tempfile.mkdtemp(prefix=FOLDER_PREFIX))
    _lock(ours)
    (ours / MARK_FILE).touch()
    environment[VARIABLE] = str(ours)
    return ours


def _lock(folder: Path) -> int | None:
    """Lock a folder for as long as this process and those that it forks have it open, and return its descriptor.

    Where somebody else has locked the folder, or it is another user's, it is None.
    """
    try:
        opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError:
        return None
    try:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(opened)
        return None
    return opened
