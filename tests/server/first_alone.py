"""An application that notes how many processes its keeper has while it is made."""

import os
from pathlib import Path
from typing import Final

from flask import Flask

from service import app

NOTES: Final = "TEST_SIBLINGS"
"""The variable that names the file with the numbers, one on each line."""


def create_app() -> Flask:
    made = app.create_app()
    keeper = os.getppid()
    siblings = Path(f"/proc/{keeper}/task/{keeper}/children").read_text().split()
    with Path(os.environ[NOTES]).open("a") as notes:
        notes.write(f"{len(siblings)}\n")
    return made
