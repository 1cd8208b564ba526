"""An application that notes how many processes its keeper has while it is made."""

import os
from pathlib import Path
from typing import Final

from flask import Flask

from service import app
from tests.launch.kit import children_of

NOTES: Final = "TEST_SIBLINGS"
"""The variable that names the file with the numbers, one on each line."""


def create_app() -> Flask:
    made = app.create_app()
    keeper = os.getppid()
    siblings = children_of(keeper)
    with Path(os.environ[NOTES]).open("a") as notes:
        notes.write(f"{len(siblings)}\n")
    return made
