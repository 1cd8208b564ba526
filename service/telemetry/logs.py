"""Structured logs on stderr: one JSON object per line, without secrets.

The id of a session or job is a secret, because it gives access. So the logs contain only a hash of such an id
(`log_id`). The message of an exception may contain such an id. So the logs omit the messages of all exceptions.
Libraries insert values into their log messages. Such a value may also be the id of a session or job. So the logs
contain placeholders such as `%s` instead of these values.
"""

from __future__ import annotations

import hashlib
import json
import logging
import re
import sys
import threading
import traceback
from collections.abc import Callable
from io import TextIOBase
from types import TracebackType
from typing import Final, TextIO, cast

import msgspec
import structlog
from opentelemetry import trace
from structlog.contextvars import merge_contextvars
from structlog.types import EventDict, WrappedLogger

DIGITS: Final = 12

_UNSAFE: Final = re.compile(r"[^\x20-\x7e]")
"""Characters that are escaped in log lines, because they could forge a line or reverse the order of text."""


_written: Final = {"from": logging.NOTSET}
"""The minimum level of logged lines."""

LIBRARIES: Final = ("rq", "redis", "opentelemetry", "asyncio", "concurrent.futures")


def configure(level: str, part: str = "web") -> None:
    """Write log lines as JSON. `part` is the name of the program.

    `level` is the lowest level that is written: debug, info, warning or error.
    """
    number = logging.getLevelNamesMapping()[level.upper()]
    _written["from"] = number

    def add_part(_logger: WrappedLogger, _method: str, line: EventDict) -> EventDict:
        return {"part": part, **line}

    structlog.configure(
        processors=[
            merge_contextvars,
            _add_trace_id,
            add_part,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.JSONRenderer(serializer=_encode),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.WriteLoggerFactory(file=cast("TextIO", _Stderr())),
    )
    for name in LIBRARIES:
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [_Handler()], False
        logger.setLevel(logging.WARNING)


def writes(level: int) -> bool:
    """Return whether lines of a level are logged. If they are not logged, a caller need not build a line."""
    return level >= _written["from"]


def log_uncaught() -> None:
    """Log each uncaught exception of any thread in one line. This includes exceptions of RQ and redis-py."""
    sys.excepthook = _log_uncaught
    threading.excepthook = lambda broken: _log_uncaught(broken.exc_type, broken.exc_value, broken.exc_traceback)


def places(trace: TracebackType | None) -> list[str]:
    """Return the code locations in a traceback, without values that might be secret."""
    return [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in traceback.extract_tb(trace)]


def log_id(job: str) -> str:
    """Return a short hash of a job's or session's id. Logs contain only the hash, because the id gives access."""
    return hashlib.sha256(job.encode()).hexdigest()[:DIGITS]


def _log_uncaught(kind: type[BaseException], _error: BaseException | None, trace: TracebackType | None) -> None:
    if not issubclass(kind, (KeyboardInterrupt, SystemExit)):
        structlog.get_logger().error("uncaught", kind=kind.__name__, places=places(trace))


class _Stderr(TextIOBase):
    """A stream that writes to the current `sys.stderr`, even if the program replaces `sys.stderr` later."""

    def write(self, text: str) -> int:
        return sys.stderr.write(text)

    def flush(self) -> None:
        """Flush the stream."""
        sys.stderr.flush()


class _Handler(logging.Handler):
    """Logs the messages of libraries. The log contains placeholders such as `%s` instead of the inserted values.

    An inserted value may be the id of a session or job. Such an id is a secret.
    """

    def emit(self, record: logging.LogRecord) -> None:
        kind, _, trace = record.exc_info or (None, None, None)
        more = {} if kind is None else {"kind": kind.__name__, "places": places(trace)}
        structlog.get_logger().log(record.levelno, str(record.msg), logger=record.name, **more)


def _encode(line: EventDict, default: Callable[[object], object]) -> str:
    try:
        text = msgspec.json.encode(line, enc_hook=default).decode()
    except UnicodeEncodeError:  # a lone surrogate
        text = json.dumps(line, default=str)
    return text if text.isascii() and text.isprintable() else _UNSAFE.sub(_escaped, text)


def _escaped(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))


def _add_trace_id(_logger: WrappedLogger, _method: str, line: EventDict) -> EventDict:
    found = trace.get_current_span().get_span_context()
    return {**line, "trace_id": trace.format_trace_id(found.trace_id)} if found.is_valid else line
