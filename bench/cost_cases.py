"""The requests that `bench costs` measures: for each operation the worst that is served.

A further case is one more `yield` in `valid`; it creates its objects at the service with `Place.post`. Refused requests
come from the document (`bench.worst_bodies`).
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import msgspec
from flask import Flask
from werkzeug.test import create_environ

from games.barbarossa.clay.form import Clay, Part, Shape
from games.barbarossa.clay.settle import settled
from games.barbarossa.moves import ModelRiddles, Sketch
from games.barbarossa.terms.catalogue import TERM_NUMBERS
from games.core.dice import CHOICE, FastDice
from games.core.game import Game
from games.core.seeds import move_dice
from games.core.table import Table
from service.api.fairness import MAX_MOVES
from service.http.request import Request
from service.settings import Limits
from service.snapshots import engine
from service.snapshots.fairness import ChanceKeys, ProvenMove, move, record_draws, set_up
from service.validation.strict_json import counted

SEED: Final = "costs"
TRIES: Final = 12
"""Number of random games in the search for a long one."""

LUMPS: Final = 48
"""Lumps of clay that a figure may have."""


class Case(NamedTuple):
    """One request: its operation, its description in the table, and whether it has to be refused."""

    operation: str
    what: str
    path: str
    body: bytes
    refused: bool = False
    method: str = "POST"
    headers: Mapping[str, str] = {"Content-Type": "application/json"}

    def environ(self) -> dict[str, Any]:
        """Return it as WSGI has it."""
        path, _, query = self.path.partition("?")
        return create_environ(
            path,
            query_string=query,
            method=self.method,
            headers=dict(self.headers),
            input_stream=io.BytesIO(self.body),
            content_length=len(self.body),
        )


@dataclass(frozen=True)
class Place:
    """A service at an empty Redis."""

    app: Flask

    @property
    def games(self) -> Mapping[str, Game]:
        """The games that are played there."""
        found: Mapping[str, Game] = self.app.extensions["context"].games
        return found

    @property
    def limits(self) -> Limits:
        """The limits of a client."""
        found: Limits = self.app.extensions["context"].settings.limits
        return found

    def longest(self, method: str, path: str) -> int:
        """Return the maximum size of a request body in bytes."""
        limit: Callable[[Request], int] = self.app.extensions["body_limit"]
        return limit(Request(method, path))

    def post(self, path: str, body: object) -> Any:
        """Send a request that has to succeed, and return its answer."""
        answer = self.app.test_client().post(path, data=msgspec.json.encode(body), content_type="application/json")
        if not answer.status_code < 400:
            raise RuntimeError(path, answer.text)
        return answer.json


def valid(place: Place) -> Iterator[Case]:
    """Yield requests that are served."""
    yield from pictures(place)
    yield from looks(place)
    for game in place.games.values():
        table, record, proof = long_game(game, place.limits.replay_moves)
        count = len(record["moves"])
        yield post("replay", f"{game.slug}, {count:,} moves", f"/v1/games/{game.slug}/replays", record)
        yield post("verifyFairness", f"{game.slug}, {count:,} moves", "/v1/fairness:verify", proof)
        long = {**proof, "moves": (proof["moves"] * MAX_MOVES)[:MAX_MOVES]}
        while not fits(place, msgspec.json.encode(long)):
            long["moves"] = long["moves"][: len(long["moves"]) * 3 // 4]
        yield post("verifyFairness", f"{game.slug}, {len(long['moves']):,} moves", "/v1/fairness:verify", long)
        more = {**record, "moves": (record["moves"] * place.limits.replay_moves)[: place.limits.replay_moves]}
        yield post(
            "replay", f"{game.slug}, {place.limits.replay_moves:,} moves", f"/v1/games/{game.slug}/replays", more
        )
        yield from batches(place, game, table)
    for game in place.games.values():
        people = [{"kind": "human"}] * max(game.seat_numbers)
        sessions = {"sessions": [{"game": game.slug, "seats": people}] * place.limits.batch_sessions}
        yield post("createSessions", f"{game.slug}, {place.limits.batch_sessions}", "/v1/sessions:batch", sessions)


def fits(place: Place, body: bytes) -> bool:
    """Return whether a body with a table or a record is within the limits of bytes and values."""
    return len(body) <= place.limits.table_bytes and counted(body) <= place.limits.json_values


def post(operation: str, what: str, path: str, body: object) -> Case:
    """Return a request that is served."""
    return Case(operation, what, path, msgspec.json.encode(body))


def tangle(seed: int, shape: Shape = "torus", lumps: int = LUMPS) -> Clay:
    """Return the figure that is dearest to draw: thin lumps around one middle, each turned another way."""
    dice = FastDice(seed)

    def one_of(low: int, high: int) -> int:
        return low + dice.below(high - low + 1, CHOICE)

    parts = [
        Part(
            shape=shape,
            position=(0, 0, 0.5),
            rotation=(one_of(0, 359), one_of(0, 359), one_of(0, 359)),
            size=(one_of(30, 40) / 100, one_of(30, 40) / 100, 0.02),
        )
        for _ in range(lumps)
    ]
    return settled(parts)


def pictures(place: Place) -> Iterator[Case]:
    """Yield the pictures and the modelling of the dearest figures."""
    here = "/v1/games/barbarossa"
    made = place.post(f"{here}/snapshots", {"seat_count": 3, "seed": SEED})
    terms = list(TERM_NUMBERS)
    modelling = [
        ModelRiddles(riddles=[Sketch(term=terms[n], piece=tangle(n)) for n in range(3 * seat, 3 * seat + 3)])
        for seat in range(3)
    ]
    yield post("drawPicture", "a draft of three tangled figures", f"{here}/pictures", {"draft": modelling[0]})
    for seat, models in enumerate(modelling):
        body = {"snapshot": made["snapshot"], "seat": seat, "move": models}
        yield post("makeSnapshotMove", f"three tangled figures, seat {seat}", f"{here}/moves", body)
        made = place.post(f"{here}/moves", body)
    seen = {"snapshot": made["snapshot"], "seat": None}
    yield post("drawPicture", "a table of nine tangled figures", f"{here}/pictures", seen)
    yield post("viewSnapshot", "a table of nine tangled figures", f"{here}/views", seen)
    seated = {"snapshot": made["snapshot"], "seat": made["actors"][0]}
    yield post("listLegalMoves", "a table of nine tangled figures", f"{here}/legal-moves", seated)


def looks(place: Place) -> Iterator[Case]:
    """Yield looks at a session that was played to its end, once the game with the most moves."""
    client, dice = place.app.test_client(), FastDice(0)
    body = {"game": "hoher-rat", "seats": [{"kind": "human"}] * 4, "spectators": "live"}
    made = place.post("/v1/sessions", body)
    here = made["links"]["session"]
    bearers = [{"Authorization": f"Bearer {seat['token']}"} for seat in made["seats"]]
    moves = 0
    while actors := client.get(here, headers=bearers[0]).json["actors"]:  # type: ignore[index]
        bearer = bearers[actors[dice.below(len(actors), CHOICE)]]
        seen = client.get(f"{here}?expand=legal_moves", headers=bearer)
        listed: Any = seen.json["legal_moves"]["moves"]  # type: ignore[index]
        move = {"move": {"code": listed[dice.below(len(listed), CHOICE)]["code"]}}
        client.post(f"{here}/moves", json=move, headers={**bearer, "If-Match": seen.headers["ETag"]})
        moves += 1
    for operation, part, headers in (
        ("getSession", "", {}),
        ("drawSession", "/picture", {}),
        ("getSessionHistory", "/history", {"Accept": "application/x-ndjson"}),
        ("getSessionReplay", "/replay", {}),
        ("getSessionFairness", "/fairness", {}),
    ):
        sent = {**bearers[0], **headers}
        yield Case(operation, f"hoher-rat, {moves:,} moves", f"{here}{part}", b"", method="GET", headers=sent)


def batches(place: Place, game: Game, table: Table) -> Iterator[Case]:
    """Yield a batch of as many views as it may hold, and one of as many snapshots."""
    seat = game.actors(table)[0]
    snapshot = {"snapshot": engine.write_snapshot(game, table, SEED), "seat": seat}
    most, few = place.limits.batch_positions, place.limits.batch_snapshots
    for what, position, bound in (
        ("views", {"view": game.view(table, seat)}, most),
        ("snapshots", snapshot, few),
    ):
        size = len(msgspec.json.encode(position)) + 1
        count = min(bound, (place.limits.batch_bytes - 200) // size)
        body = {"game": game.slug, "budget": {"iterations": 1}, "positions": [position] * count}
        yield post("startSearchBatch", f"{game.slug}, {count:,} {what}", "/v1/jobs/searches:batch", body)


def long_game(game: Game, most: int) -> tuple[Table, dict[str, Any], dict[str, Any]]:
    """Return the longest of some games, of `most` moves at most: the table in its middle, its record, and its proof."""
    played = max((random_game(game, number, most) for number in range(TRIES)), key=lambda moves: len(moves[1]))
    first, moves = played
    seats, keys = first.seats, ChanceKeys(set_up=_key("set up"), moves=_key("moves"))
    middle = moves[len(moves) // 2][0]
    record = {
        "seat_count": seats,
        "seed": SEED,
        "moves": [{"seat": seat, "move": game.decode(table, code)} for table, seat, code in moves],
    }
    table, dealt = record_draws(game, set_up(game, seats, game.options_type()), keys.set_up_dice())
    proven: list[ProvenMove] = []
    dice = FastDice(0)
    while game.actors(table) and len(proven) < most:
        seat, code = some_move(game, table, dice)
        ply, said = int(table.ply), game.decode(table, code)
        table, draws = record_draws(game, move(table, seat, code), keys.move_dice(ply))
        proven.append(ProvenMove(seat=seat, ply=ply, move=said, draws=draws))
    proof = {
        "session": SEED,
        "game": game.slug,
        "ruleset": game.ruleset,
        "seat_count": seats,
        "options": game.options_type(),
        "commitment": keys.commitment(SEED),
        "keys": keys,
        "set_up": dealt,
        "moves": proven,
    }
    return middle, record, proof


def random_game(game: Game, number: int, most: int) -> tuple[Table, list[tuple[Table, int, int]]]:
    """Play a game at random and return its first table, and each table with the move made there."""
    dice = FastDice(number)
    first = table = engine.deal(game, max(game.seat_numbers), game.options_type(), SEED)
    moves: list[tuple[Table, int, int]] = []
    while game.actors(table) and len(moves) < most:
        seat, code = some_move(game, table, dice)
        moves.append((table, seat, code))
        table = game.step(table, seat, code, move_dice(SEED, table.ply)).table
    return first, moves


def some_move(game: Game, table: Table, dice: FastDice) -> tuple[int, int]:
    """Return a seat that has to decide and one of its moves."""
    actors = game.actors(table)
    seat = actors[dice.below(len(actors), CHOICE)]
    codes = game.legal(table, seat)
    return seat, codes[dice.below(len(codes), CHOICE)]


def _key(label: str) -> str:
    return hashlib.sha256(label.encode()).hexdigest()
