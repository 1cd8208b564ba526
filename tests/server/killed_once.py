"""An application whose first process is killed before it listens, as by a system without memory."""

import os
import signal
from pathlib import Path
from typing import Final

from flask import Flask

from service import app

MARK: Final = "TEST_KILLED_ONCE"
"""The variable that names the file which the first process leaves behind."""


def create_app() -> Flask:
    """Return the application, except in the first process."""
    mark = Path(os.environ[MARK])
    if not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return app.create_app()
