"""Plays Der Hohe Rat with a generated client, first by snapshots, then in a session, and prints what it saw.

The package `generated_client` comes out of `openapi-python-client generate`; run as `play.py ADDRESS SEED`.
"""
# mypy: disable-error-code="import-not-found"

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from typing import Any

from generated_client import AuthenticatedClient, Client, models
from generated_client.api.engine import create_snapshot, draw_picture, list_legal_moves, make_snapshot_move
from generated_client.api.jobs import start_search
from generated_client.api.sessions import create_session, get_session, list_session_moves, make_move_in_session

GAME = models.GameSlug.HOHER_RAT
EAGERNESS = (
    models.HoherRatPromoteFollower,
    models.HoherRatPlaceSpeaker,
    models.HoherRatPlaceFollower,
    models.HoherRatClaimField,
    models.HoherRatConvince,
    models.HoherRatDiscuss,
    models.HoherRatPlayTrilith,
    models.HoherRatPonder,
    models.HoherRatEndTurn,
)
"""The moves by kind, the best for bringing pieces to the ring first."""


def best(moves: list[Any]) -> Any:
    return min(moves, key=lambda listed: EAGERNESS.index(type(listed.move))).move


def stateless(client: Client, seed: str) -> dict[str, Any]:
    made = create_snapshot.sync(GAME, client=client, body=models.SnapshotRequest(seat_count=2, seed=seed))
    snapshot, actors, plies = made.snapshot, made.actors, 0
    while actors:
        asked = models.SeatedSnapshot(snapshot=snapshot, seat=actors[0])
        listed = list_legal_moves.sync(GAME, client=client, body=asked)
        body = models.MoveAtSnapshot(snapshot=snapshot, seat=actors[0], move=best(listed.moves))
        made = make_snapshot_move.sync(GAME, client=client, body=body)
        snapshot, actors, plies = made.snapshot, made.actors, plies + 1
    drawn = draw_picture.sync(GAME, client=client, body=models.ViewedSnapshot(snapshot=snapshot, seat=None))
    return {
        "plies": plies,
        "ply": snapshot.ply,
        "rewards": made.outcome.rewards,
        "headline": made.outcome.headline,
        "picture": drawn.decode()[:4],
        "invalid": read_problem(refused(client, snapshot)),
    }


def refused(client: Client, snapshot: Any) -> Any:
    """Return the problem of a snapshot in which a card is twice."""
    broken = models.Snapshot.from_dict(snapshot.to_dict())
    discard = broken.table["factions"][0]["discard"]
    discard.append(discard[0])
    asked = models.SeatedSnapshot(snapshot=broken, seat=0)
    return list_legal_moves.sync_detailed(GAME, client=client, body=asked)


def read_problem(answer: Any) -> dict[str, Any]:
    problem = answer.parsed
    if not isinstance(problem, models.Problem):
        raise TypeError(f"{answer.status_code}: {type(problem).__name__} is no problem")
    return {
        "status": problem.status,
        "code": problem.code,
        "rules": [fault.rule for fault in problem.errors],
        "version": problem.version or None,
    }


class Seat:
    def __init__(self, address: str, seed: str) -> None:
        bot = models.SeatWanted(kind=models.SeatKind.BOT, bot=models.BotWanted(level=models.BotLevel.RANDOM))
        person = models.SeatWanted(kind=models.SeatKind.HUMAN, name="Aine")
        body = models.NewSession(game=GAME, seats=[person, bot], seed=seed)
        made = create_session.sync(client=Client(base_url=address), body=body)
        self.session = made.id
        self.client = AuthenticatedClient(base_url=address, token=made.seats[0].token)
        self.seen: Any = None
        self.etag = ""
        self.unchanged = 0

    def look(self) -> Any:
        answer = get_session.sync_detailed(self.session, client=self.client, if_none_match=self.etag)
        if answer.status_code == 304:
            self.unchanged += 1
        else:
            self.seen, self.etag = answer.parsed, answer.headers["ETag"]
        return self.seen

    def turns(self) -> Iterator[list[Any]]:
        """Wait for each decision of this seat and yield the moves it has, until the session is over."""
        while (session := self.look()).status is models.SessionStatus.RUNNING:
            if 0 in session.actors:
                yield list_session_moves.sync(self.session, client=self.client).moves
            else:
                time.sleep(0.025)

    def play(self, move: Any) -> Any:
        """Make a move at the last seen state, and return the response."""
        body = models.NewMove(move=move)
        return make_move_in_session.sync_detailed(self.session, client=self.client, body=body, if_match=self.etag)

    def advice(self) -> Any:
        budget = models.Budget(iterations=100)
        body = models.SearchRequest(game=GAME, budget=budget, view=self.seen.view, seed="advice")
        return start_search.sync(client=self.client, body=body, prefer="wait=20").result


def session(address: str, seed: str) -> dict[str, Any]:
    seat = Seat(address, seed)
    stale = advice = None
    for moves in seat.turns():
        if stale is None:
            advice = seat.advice()
            seat.play(moves[0].move)
            stale = read_problem(seat.play(moves[0].move))
        elif (answer := seat.play(best(moves))).status_code != 201:
            raise ValueError(read_problem(answer))
    last = seat.look()
    return {
        "status": last.status.value,
        "winner": last.view.winner.value,
        "rewards": last.outcome.rewards,
        "version": last.version,
        "unchanged": seat.unchanged,
        "stale": stale,
        "advice": {"iterations": advice.iterations, "moves": len(advice.moves)} if advice else None,
    }


def main(address: str, seed: str) -> None:
    seen = {"stateless": stateless(Client(base_url=address), seed), "session": session(address, seed)}
    sys.stdout.write(json.dumps(seen))


if __name__ == "__main__":
    main(*sys.argv[1:])
