"""Sealed snapshots of every game: one length whatever the table, and the very same table when they are opened."""

import base64
from dataclasses import replace
from typing import Final

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from games.core.bits import members_of
from games.core.dice import CHOICE, FastDice
from games.core.table import SPECTATOR, Table
from service.settings import Limits
from service.snapshots.sealing import FRAME_BYTES, Sealer, packed_size, padded_size
from tests.conformance.cases import GAMES, Case, every_case, examples, seeds, written

SEALER: Final = Sealer.of(["a secret that seals for these tests"], 86_400_000)
WAYS: Final = st.sampled_from(["first", "last", "any"])


def play_to_end(case: Case, seed: int, way: str, moves: int) -> Table:
    dice, table = FastDice(seed), case.new(seed)
    for _ in range(moves):
        actors = members_of(table.actors())
        if not actors:
            break
        seat = actors[dice.below(len(actors), CHOICE)]
        codes = case.game.legal(table, int(seat))
        place = {"first": 0, "last": len(codes) - 1, "any": dice.below(len(codes), CHOICE)}[way]
        table.apply(seat, codes[place], dice, None)
    return table


@every_case
@examples(4)
@given(seed=seeds, way=WAYS, moves=st.integers(0, 200))
def test_every_table_is_sealed_at_one_length_and_opened_as_it_was(case: Case, seed: int, way: str, moves: int) -> None:
    table = play_to_end(case, seed, way, moves)
    seal = replace(SEALER, entropy=lambda size: seed.to_bytes(size, "big")).fresh(case.seats)
    assert packed_size(case.game.write(table)) <= padded_size(case.game, case.seats) - FRAME_BYTES
    sealed = SEALER.seal(case.game, table, seal)
    first = SEALER.seal(case.game, case.new(0), SEALER.fresh(case.seats))
    assert len(sealed.token) == len(first.token)
    assert sealed.ply == case.game.view(table, SPECTATOR).ply
    opened, again = SEALER.unseal(sealed)
    assert again == seal
    found = case.game.read(msgspec.convert(opened.table, case.game.record_type))
    assert written(case.game, found) == written(case.game, table)
    assert opened.ply == table.ply


def test_a_token_is_small_enough_to_be_sent_back() -> None:
    for game in GAMES.values():
        for seats in game.seat_numbers:
            assert len(base64.b64encode(bytes(padded_size(game, seats)))) < Limits().table_bytes - 2_048
