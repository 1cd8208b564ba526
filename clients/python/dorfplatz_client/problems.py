"""Problems of the service, as exceptions."""

from __future__ import annotations

from typing import cast

import httpx

from dorfplatz_client.generated.contract import Fault, Problem


class ProblemError(Exception):
    """The service rejected a request: `code` is the type, `detail` a sentence, `errors` the faults."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem["detail"])
        self.problem = problem
        self.status: int = problem["status"]
        self.code: str = problem["code"]
        self.detail: str = problem["detail"]
        self.errors: list[Fault] = problem["errors"]

    @property
    def rules(self) -> list[str]:
        """The ids of the violated rules."""
        return [fault["rule"] for fault in self.errors if "rule" in fault]


class IllegalMoveError(ProblemError):
    """A rule of the game forbids the move: `rules` has its id."""


class StaleVersionError(ProblemError):
    """The seat has new information since the version of the move."""


KINDS: dict[str, type[ProblemError]] = {"illegal-move": IllegalMoveError, "stale-version": StaleVersionError}


def problem_of(answer: httpx.Response) -> ProblemError:
    """Return the exception for an unsuccessful response whose body was read."""
    try:
        found = answer.json()
    except ValueError:
        found = None
    if not isinstance(found, dict) or not {"status", "code", "detail", "errors"} <= found.keys():
        detail = f"{answer.status_code} {answer.reason_phrase}, and no problem document."
        found = {"type": "about:blank", "title": "", "status": answer.status_code, "code": "", "detail": detail}
        found |= {"errors": [], "trace_id": ""}
    return KINDS.get(found["code"], ProblemError)(cast("Problem", found))
