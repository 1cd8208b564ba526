"""The folder in which all processes of a web server keep their figures; of a server that has ended nothing is left."""

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
LOCK_FILE: Final = "lock"


def provide_metrics_folder(environment: MutableMapping[str, str]) -> Path | None:
    """Name an empty folder in the environment, and return it where it is ours to remove at the end.

    A folder that is named already is emptied. One of ours is locked while any process of its server lives; those that
    servers have left behind that were killed are removed.
    """
    if named := environment.get(VARIABLE):
        for figures in Path(named).glob("*.db"):
            figures.unlink(missing_ok=True)
        return None
    for folder in Path(tempfile.gettempdir()).glob(f"{FOLDER_PREFIX}*"):
        if (folder / LOCK_FILE).exists() and (left := _lock(folder)) is not None:
            shutil.rmtree(folder, ignore_errors=True)
            os.close(left)
    ours = Path(tempfile.mkdtemp(prefix=FOLDER_PREFIX))
    _lock(ours)
    environment[VARIABLE] = str(ours)
    return ours


def _lock(folder: Path) -> int | None:
    """Lock a folder for as long as this process and those that it forks have a file open, and return that file.

    Where somebody else has locked the folder, or it is another user's, it is None.
    """
    try:
        file = os.open(folder / LOCK_FILE, os.O_CREAT | os.O_RDWR, 0o600)
    except OSError:
        return None
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(file)
        return None
    return file
