"""An application that reports what its process has loaded, and ends it."""

import sys
from typing import Never

from service import app


def create_app() -> Never:
    """Make the application of the service, print the names of all loaded modules and end the process."""
    app.create_app()
    sys.stdout.write(" ".join(sys.modules))
    sys.exit()
