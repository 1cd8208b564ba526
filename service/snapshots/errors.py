"""The exception for snapshots, moves and records that the service rejects."""

from __future__ import annotations

from typing import Any

from service.validation.faults import Fault


class SnapshotError(Exception):
    """Raised if the service rejects a snapshot, a move or a record.

    `faults` contains the errors in the request, each with its place. `params` contains the values of the placeholders
    in the message for `code`.
    """

    def __init__(self, code: str, *faults: Fault, **params: Any) -> None:
        super().__init__(code)
        self.code = code
        self.errors = faults
        self.params = params
