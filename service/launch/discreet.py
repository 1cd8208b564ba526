"""gunicorn's own log without secrets: no query of any address, which may hold a ticket."""

from __future__ import annotations

import logging
import re
from typing import Any, Final

from gunicorn.glogging import Logger

_QUERY: Final = re.compile(r"(?:\?|ticket=)[^\s\"']*")


class DiscreetLogger(Logger):  # type: ignore[misc]  # gunicorn has no types
    """gunicorn's logger, whatever an operator lets it write."""

    def setup(self, cfg: Any) -> None:
        """Set both logs up."""
        super().setup(cfg)
        self.error_log.addFilter(discreet)
        self.access_log.addFilter(discreet)


def discreet(record: logging.LogRecord) -> bool:
    """Take queries out of a line."""
    record.msg, record.args = _QUERY.sub("?...", record.getMessage()), None
    return True
