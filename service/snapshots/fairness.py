"""Proof that a session's draws were fixed before the session's first move.

At the start, the service publishes a commitment to two keys. At the end, it publishes the keys. The keys determine all
draws (`docs/fairness/verify.py`).
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, UnsetType

from games.core.bits import members_of
from games.core.dice import Dice, RecordingDice, ScriptedDice, SeededDice
from games.core.game import Draw, Drawn, Game, Options
from games.core.table import Table
from service.sessions.chance import MAX_CACHED_KEYS, mixed, moves_key, set_up_key
from service.snapshots.records import MAX_SEATS
from service.validation.faults import Fault

Key = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]


class ClientSeed(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A player's contribution to the random draws.

    `hash` is the SHA-256 of the player's seed. Either the player chose this seed, or the service generated it.
    """

    seat: Annotated[int, Meta(ge=0, le=MAX_SEATS - 1)]
    hash: Key


class ChanceKeys(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The keys of a session's random draws, one for the set-up and one for the moves."""

    set_up: Key
    moves: Key

    @classmethod
    @lru_cache(MAX_CACHED_KEYS)
    def of(cls, key: str) -> ChanceKeys:
        # The session's key stays secret, because tokens and bots' seeds are derived from it too.
        return cls(set_up=set_up_key(key).hex(), moves=moves_key(key).hex())

    def commitment(self, session: str) -> str:
        """Return the public commitment to these keys.

        The commitment does not reveal the keys. No other keys have the same commitment.
        """
        return hashlib.sha256(f"{session}:{self.set_up}:{self.moves}".encode()).hexdigest()

    def mixed(self, client_seeds: Sequence[ClientSeed]) -> ChanceKeys:
        """Combine these keys with the client seeds, and return the keys of the dice.

        Each old key signs the hashes of the client seeds with HMAC-SHA256. The signature is the new key. If there are
        no client seeds, the keys stay the same.
        """
        # The seeds come after the commitment, so the service cannot choose its keys to fit the seeds.
        added = [(seed.seat, seed.hash) for seed in client_seeds]
        set_up, moves = (mixed(bytes.fromhex(key), added).hex() for key in (self.set_up, self.moves))
        return ChanceKeys(set_up=set_up, moves=moves)

    def set_up_dice(self) -> SeededDice:
        return SeededDice(bytes.fromhex(self.set_up), 0)

    def move_dice(self, ply: int) -> SeededDice:
        return SeededDice(bytes.fromhex(self.moves), ply)


class ProvenDraw(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One random draw.

    `what` is the subject of the draw. `of` is the number of possible outcomes. `place` is the index of the drawn
    outcome, counted from 0. `value` is the drawn outcome. If the draw chooses from a list, for example of cards,
    `among` is this list. Then `value` is the item of `among` at the index `place`. Otherwise, `among` is absent. For
    example, if a die shows 4, `place` is 3 and `value` is 4.
    """

    what: str
    of: Annotated[int, Meta(ge=1)]
    place: Annotated[int, Meta(ge=0)]
    value: Drawn
    among: list[Drawn] | UnsetType = UNSET


class ProvenMove(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A move with its number in the game and its random draws."""

    seat: Annotated[int, Meta(ge=0, le=MAX_SEATS - 1)]
    ply: Annotated[int, Meta(ge=0)]
    move: Annotated[Any, Meta(extra_json_schema={"$ref": "#/components/schemas/Move"})]
    draws: list[ProvenDraw]
    undone: Annotated[bool, Meta(extra_json_schema={"default": False})] | UnsetType = UNSET


Make = Callable[[Dice], Table]
"""A function that sets up a table, or makes a move on a copy of a table. All random draws come from the given dice."""


def set_up(game: Game, seats: int, options: Options) -> Make:
    return lambda dice: game.new(seats, options, dice)


def move(table: Table, seat: int, code: int) -> Make:
    """Return a function that takes dice, makes a move on a copy of the table, and returns this copy."""

    def make(dice: Dice) -> Table:
        after = table.clone()
        after.apply(seat, code, dice, None)
        return after

    return make


def record_draws(game: Game, make: Make, dice: Dice) -> tuple[Table, list[ProvenDraw]]:
    witness = RecordingDice(dice)
    table = make(witness)
    return table, [_draw(game, *draw) for draw in witness.draws]


def record_proven_draws(game: Game, make: Make, keyed: Dice, outcomes: list[Draw]) -> tuple[Table, list[ProvenDraw]]:
    """Repeat a recorded move or set-up with `make`. Return the resulting table and all random draws.

    The draws come from the random generator `keyed`. If they differ from the recorded `outcomes`, repeat the move or
    set-up a second time, with `outcomes` as its draws. Then return the table and the draws of the second repetition.
    """
    table, draws = record_draws(game, make, keyed)
    # Draws of the keyed dice also show which of several equal cards was drawn.
    if [(draw.what, draw.value) for draw in draws] == [(outcome.what, outcome.value) for outcome in outcomes]:
        return table, draws
    return record_draws(game, make, ScriptedDice(game.read_outcomes(outcomes), None))


def is_commitment(commitment: str, keys: ChanceKeys, session: str) -> bool:
    return hmac.compare_digest(commitment, keys.commitment(session))


def first_difference(claimed: Sequence[ProvenDraw], made: Sequence[ProvenDraw], pointer: str) -> Fault | None:
    """Compare two lists of draws: the draws of a fairness proof, and the draws that follow from the proof's keys.

    `claimed` contains the draws of the proof. `made` contains the draws that the service computed with the keys. Return
    a fault for the first difference. Return None if there is no difference.
    """
    for place, (one, other) in enumerate(zip(claimed, made, strict=False)):
        if one != other:
            params: dict[str, Any] = {"place": other.place, "of": other.of, "value": other.value}
            return Fault(f"{pointer}/{place}", "other-draw", params)
    if len(claimed) == len(made):
        return None
    place = min(len(claimed), len(made))
    return Fault(f"{pointer}/{place}", "draw-missing" if place < len(made) else "draw-too-many")


def _draw(game: Game, what: int, of: int, members: int, value: int) -> ProvenDraw:
    name, purpose = game.name_outcome(what, value), game.purposes[what]
    if members == 0:
        return ProvenDraw(what=purpose, of=of, place=value, value=name)
    order = [int(member) for member in members_of(members)]
    among = [game.name_outcome(what, member) for member in order]
    return ProvenDraw(what=purpose, of=of, place=order.index(value), value=name, among=among)
