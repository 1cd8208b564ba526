"""Refusals of snapshots, moves and records."""

from __future__ import annotations

from typing import Any

from service.validation.faults import Fault


class SnapshotError(Exception):
    """A snapshot, a move or a record is rejected.

    `code` is the code of the problem that `service.http.error_handlers` returns. `faults` contain locations and
    reasons. `params` are the parameters of the problem's text.
    """

    def __init__(self, code: str, *faults: Fault, **params: Any) -> None:
        super().__init__(code)
        self.code = code
        self.errors = faults
        self.params = params
