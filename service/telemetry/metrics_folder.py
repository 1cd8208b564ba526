"""The folder of a web server's metrics, which all its processes share. It is removed when the server stops."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import MutableMapping
from pathlib import Path
from typing import Final

VARIABLE: Final = "PROMETHEUS_MULTIPROC_DIR"
"""The environment variable for the folder, which prometheus_client reads on import."""

FOLDER_PREFIX: Final = "dorfplatz-metrics-"
MARK_FILE: Final = "ours"
"""Name of the lock file; a folder without it is not ours, or is being created."""

METRICS_PATH: Final = "/metrics"


def provide_metrics_folder(environment: MutableMapping[str, str]) -> Path | None:
    """Set an empty metrics folder in the environment. Return it if we created it and must remove it at the end.

    If the environment names a folder already, that folder is emptied. A folder of ours is locked while any process of
    its server lives, so that systemd does not delete it. Unlocked folders of killed servers are removed.
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
    """Lock a folder and return its descriptor. The lock lasts while this process or one of its forks has it open.

    Return None if another process has locked the folder, or if it belongs to another user, since it is not ours then.
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
