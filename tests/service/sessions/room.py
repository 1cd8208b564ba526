"""The services of the use cases at a real Redis, with a clock that the test moves and a record of what was queued."""

from __future__ import annotations

from dataclasses import dataclass, field

from games.core.dice import FastDice
from games.core.game import Game, View
from service.sessions.create import Created, SessionRequest, create
from service.sessions.reading import load
from service.sessions.services import SessionServices
from service.store import keys
from service.store.bot_decisions import BotDecisionCache
from service.store.clients import commands
from service.store.due import DueSets
from service.store.hooks import HookStore
from service.store.leases import StoreLease
from service.store.session_store import SessionStore
from service.store.sessions import UNDO_OFF, Seat
from service.store.sessions import Clock as Clockwork
from tests.toy import GAME
from workers.sessions import bot_turns, timers

LIFE_MS = 3_600_000
NOON = 1_800_000_000_000


@dataclass
class Clock:
    now: int = NOON

    def __call__(self) -> int:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += round(seconds * 1000)


@dataclass
class Room:
    """The services with what a test may move or look at."""

    services: SessionServices
    clock: Clock
    calls: list[tuple[str, int]] = field(default_factory=list)
    recalls: list[tuple[str, int, int]] = field(default_factory=list)

    def begin(
        self,
        *seats: Seat,
        seed: str | None = "noon",
        spectators: str = "live",
        clock: Clockwork | None = None,
        undo: str = UNDO_OFF,
    ) -> Created:
        """Create a session of Pebbles, for two persons unless seats are given."""
        seats = seats or (Seat(kind="human"), Seat(kind="human"))
        options = GAME.options_type()
        wanted = SessionRequest(
            game=GAME, seats=seats, options=options, seed=seed, spectators=spectators, clock=clock, undo=undo
        )
        return create(self.services, wanted, self.services.entropy(8).hex())

    @property
    def due(self) -> DueSets:
        return DueSets(self.services.store.client)

    @property
    def decisions(self) -> BotDecisionCache:
        return BotDecisionCache(self.services.store.client)

    def lease(self, name: str, lease_id: str) -> StoreLease:
        return StoreLease(self.services.store.client, keys.bots(name), lease_id, bot_turns.BOT_LEASE_MS)

    def look(self) -> None:
        timers.run_due_timers(
            self.services, lambda name, revision, attempt: self.recalls.append((name, revision, attempt))
        )

    def version(self, name: str, seat: int) -> int:
        return load(self.services, name).versions[seat]


def open_room(redis_url: str) -> Room:
    clock, calls = Clock(), list[tuple[str, int]]()
    games: dict[str, Game] = {GAME.slug: GAME}
    store = SessionStore(commands(redis_url), LIFE_MS)
    services = SessionServices(
        store=store,
        hooks=HookStore(store.client, 100),
        games=games,
        enqueue_bot_turn=lambda name, revision: calls.append((name, revision)),
        now=clock,
    )
    return Room(services, clock, calls)


def lowest(game: Game, view: View, _level: str, _seed: str, tick: bot_turns.Tick) -> int:
    """Choose the lowest legal move of a table as the seat may imagine it."""
    assert view.seat is not None
    tick(1, 2, dict)
    return min(game.legal(game.from_view(view, FastDice(1)), view.seat))
