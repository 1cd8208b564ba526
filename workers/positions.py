"""Searches for the best moves in the positions of a batch.

The result for a position depends only on the position, its index in the batch and the seed. So it does not matter which
worker searches the position.
"""

from __future__ import annotations

import json
import logging
import zlib
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Final, cast

import msgspec
from rq.timeouts import JobTimeoutException

from games.core.game import View
from games.core.registry import registered
from games.core.texts import LANGUAGES
from games.search.advise import Budget, Partial, Tick, seed_of
from games.search.analysis import Analysis
from service.jobs import queues
from service.jobs.aggregate import Aggregate
from service.jobs.leases import Lease, Stopped
from service.snapshots import engine
from service.snapshots.errors import SnapshotError
from service.validation import strict_json, structs
from service.validation.strict_json import DEFAULT_BOUNDS, Bounds, UnfitJsonError

BOUNDS: Final = DEFAULT_BOUNDS
"""Default bounds for the JSON of a batch."""

BROKEN: Final = {"code": "internal-error", "params": {}, "errors": []}
"""Data of the error response for a position whose search failed. The other positions are still searched."""

log = logging.getLogger("workers")


class Found(msgspec.Struct, Aggregate):
    """Counts of searched positions, failed positions and search iterations."""

    positions: int = 0
    refused: int = 0
    iterations: int = 0

    def add(self, line: bytes) -> None:
        """Count one position. `line` is its encoded result."""
        row = json.loads(line)
        self.positions += 1
        self.refused += "problem" in row
        self.iterations += row.get("result", {}).get("iterations", 0)

    def summary(self) -> dict[str, Any]:
        """Return the counts as plain JSON."""
        counted: dict[str, Any] = msgspec.to_builtins(self)
        return {"kind": "search_batch", **counted}


class Entered(msgspec.Struct, frozen=True):
    """A position of a batch as the web server has stored it.

    Usually, `view` contains the position as a view. If the client's position is unusable, `view` is empty. `problem`
    then contains the data of an error response.
    """

    id: str | None = None
    problem: dict[str, Any] | None = None
    view: msgspec.Raw = msgspec.Raw()


def _parse_view(text: msgspec.Raw, bounds: Bounds) -> Any:
    try:
        return strict_json.parse(bytes(text), bounds)
    except UnfitJsonError as unfit:
        raise unfit.below("/view") from None


class Positions:
    """Searches for the best move in each position of a batch."""

    def __init__(self, lease: Lease) -> None:
        self._payload = lease.payload
        self._first = lease.first
        found: Any = []
        if lease.first < lease.end:
            found = lease.connection.lrange(queues.inputs_key(lease.job), lease.first, lease.end - 1)
        self._inputs = [zlib.decompress(entry) for entry in cast("list[bytes]", found)]

    def do(self, item: int, tick: Tick) -> bytes:
        """Search one position. Return the encoded result.

        If the search is not possible or fails, return the encoded data of an error response instead.
        """
        entered = msgspec.json.decode(self._inputs[item - self._first], type=Entered)
        line: dict[str, Any] = {"position": item}
        if entered.id is not None:
            line["id"] = entered.id
        if entered.problem is not None:
            return msgspec.json.encode(line | {"problem": entered.problem})
        try:
            view = _parse_view(entered.view, Bounds(*self._payload.get("bounds", BOUNDS)))
            check_entered(self._payload, view)
            seed = f"{self._payload['seed']}/{item}"
            return msgspec.json.encode(line | {"result": search_position(self._payload, view, seed, tick)})
        except (Stopped, JobTimeoutException):
            raise
        except (SnapshotError, UnfitJsonError) as refused:
            errors = [asdict(fault.below(f"/positions/{item}")) for fault in refused.errors]
            problem = {"code": refused.code, "params": refused.params, "errors": errors}
            return msgspec.json.encode(line | {"problem": problem})
        except Exception as error:  # noqa: BLE001 -- whatever breaks at one position, the others are searched
            log.error("position %d broke: %s", item, type(error).__name__)  # noqa: TRY400 -- values may be secret
            return msgspec.json.encode(line | {"problem": BROKEN})

    def aggregate(self) -> Found:
        """Return a new object that counts the results of positions. All its counts are zero."""
        return Found()


def check_entered(payload: Mapping[str, Any], entered: object) -> None:
    """Raise SnapshotError if `entered` is not a view of the game, or if its seat has no decision to make."""
    games = registered()
    try:
        view: View = structs.read_tagged(entered, "game", {slug: game.view_type for slug, game in games.items()})
    except structs.UnfitError as unfit:
        raise SnapshotError("invalid-body", unfit.fault.below("/view")) from None
    engine.check_decision(games[payload["game"]], view, payload.get("language", LANGUAGES[0]))


def search_position(payload: Mapping[str, Any], entered: Any, seed: str, tick: Tick) -> dict[str, Any]:
    """Search for the best move in a view, and return the result.

    `entered` is the view as JSON values. `payload` contains the limits, the level and the options of the search.
    """
    game = registered()[payload["game"]]
    view: View = msgspec.convert(entered, game.view_type)
    budget = Budget(payload["iterations"], payload["milliseconds"], payload.get("half_width", 0.0))
    head = {"kind": "search", "seat": view.seat, "seed": seed, "view": entered}

    def look_up(done: int, total: int, partial: Partial) -> None:
        tick(done, total, lambda: head | partial())

    level, top = payload["level"], payload["top"]
    analysis = Analysis(game, view, seed_of("search", seed), level, explain=payload.get("explain", False))
    return head | analysis.run(budget, top, look_up, payload.get("compare"))
