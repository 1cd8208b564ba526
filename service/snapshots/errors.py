"""The exception for snapshots, moves and records that the service rejects."""

from __future__ import annotations

from typing import Any

from service.validation.faults import Fault


class SnapshotError(Exception):
    """A snapshot, a move or a record is rejected.

    `code` is the problem code in the response. `faults` contain places in the request, each with a reason. `params`
    fill the placeholders of the problem's text.
    """

    def __init__(self, code: str, *faults: Fault, **params: Any) -> None:
        super().__init__(code)
        self.code = code
        self.errors = faults
        self.params = params
