"""The field `group_by` of simulation requests. A simulation counts its games separately for each group."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from games.core.game import Game
from service.http.fields import Body, Rows, Whole, Within, Words
from service.http.problems import Problem, invalid_body
from service.jobs.grouping import (
    MAX_GROUP_FIELDS,
    MAX_OPENING,
    MAX_ROWS,
    USUAL_ROWS,
    GroupField,
    Grouping,
    UnknownFieldError,
    holds_number,
)
from service.validation.faults import Fault

MAX_BUCKET = 10**9


class GroupedField(Body):
    """A field of a game's outcome. Games with equal values of the field are counted together."""

    field = Words(
        1,
        128,
        required=True,
        description=(
            "Path of the field: `winners`, `plies`, `bots.0`, `rewards.0`, `points.0`, `forfeit.cause`, or a field of "
            "a spectator's final view, such as `view.round`."
        ),
    )
    bucket = Whole(1, MAX_BUCKET, load_default=1, description="Width of the ranges that integers are counted in.")


class GroupBy(Body):
    """Groups in which the games of a simulation are counted."""

    outcome = Rows(Within(GroupedField()), 1, MAX_GROUP_FIELDS, load_default=list)
    opening = Whole(1, MAX_OPENING, description="Number of first moves, by all seats together.")
    top = Whole(1, MAX_ROWS, load_default=USUAL_ROWS, description="Maximum number of groups in the result.")


def read_grouping(game: Game, seats: int, body: Mapping[str, Any]) -> dict[str, Any]:
    """Validate a request's `group_by` and return it as part of the job's payload.

    Return an empty dict if the request has no `group_by`. Raise Problem if `group_by` is invalid.
    """
    asked = body.get("group_by")
    if asked is None:
        return {}
    if not asked["outcome"] and "opening" not in asked:
        raise invalid_body("/group_by/outcome", "missing")
    fields = [GroupField(**each) for each in asked["outcome"]]
    errors = [fault for index, field in enumerate(fields) for fault in _faults(game, seats, field, index, fields)]
    if errors:
        raise Problem("invalid-body", errors=errors)
    grouping = Grouping(tuple(fields), asked.get("opening", 0), asked["top"])
    return {"group_by": msgspec.to_builtins(grouping)}


def _faults(game: Game, seats: int, field: GroupField, index: int, fields: list[GroupField]) -> list[Fault]:
    pointer = f"/group_by/outcome/{index}"
    try:
        is_number = holds_number(game, seats, field.field)
    except UnknownFieldError as unknown:
        return [Fault(f"{pointer}/field", "choice", {"choices": unknown.choices})]
    if field.field in {earlier.field for earlier in fields[:index]}:
        return [Fault(f"{pointer}/field", "repeated")]
    if field.bucket > 1 and not is_number:
        return [Fault(f"{pointer}/bucket", "integers-only")]
    return []
