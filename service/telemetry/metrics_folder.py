"""The folder in which all processes of a web server share their metrics. It is removed when the server stops."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import MutableMapping
from pathlib import Path
from typing import Final

VARIABLE: Final = "PROMETHEUS_MULTIPROC_DIR"
"""Environment variable with the path of the folder. prometheus_client reads it on import."""

FOLDER_PREFIX: Final = "dorfplatz-metrics-"
MARK_FILE: Final = "ours"
"""Name of the lock file. A folder without this file was not created by a web server, or is incomplete."""

METRICS_PATH: Final = "/metrics"


def provide_metrics_folder(environment: MutableMapping[str, str]) -> Path | None:
    """Provide an empty folder for metrics.

    Usually, create a folder, store its path in the environment, and return the path. The caller must remove this folder
    later. If the environment already names a folder, only delete the metrics in that folder, and return None.
    """
    if named := environment.get(VARIABLE):
        for figures in Path(named).glob("*.db"):
            figures.unlink(missing_ok=True)
        return None
    # Unlocked folders were left by killed servers.
    for folder in Path(tempfile.gettempdir()).glob(f"{FOLDER_PREFIX}*"):
        if (folder / MARK_FILE).exists() and (left := _lock(folder)) is not None:
            shutil.rmtree(folder, ignore_errors=True)
            os.close(left)
    ours = Path(tempfile.mkdtemp(prefix=FOLDER_PREFIX))
    # systemd does not delete a locked folder.
    _lock(ours)
    (ours / MARK_FILE).touch()
    environment[VARIABLE] = str(ours)
    return ours


def _lock(folder: Path) -> int | None:
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
