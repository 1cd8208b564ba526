"""A net of integers: packed columns add up exactly, under either kernel, and every game's net is sound data."""

from array import array
from importlib.resources import files
from pathlib import Path
from random import Random
from typing import Final

import msgspec
import pytest
from librt.vecs import vec
from mypy_extensions import i64

from games.core.game import Game
from games.core.net import END, ONE, SCALE, UNITS
from games.core.nets import FILE, NetFile, packed, read_net
from games.core.registry import registered

LEARNT = [pytest.param(game, game.net, id=slug) for slug, game in registered().items() if game.net is not None]
FACTS: Final = 9
MEMBERS: Final = 6
CARD: Final = {"made", "games", "loss", "one ply ahead"}


def some_net(chance: Random, most: int) -> NetFile:
    own = array("h", (chance.randint(-most, most) for _ in range(MEMBERS * UNITS)))
    foe = array("h", (chance.randint(-most, most) for _ in range(FACTS * UNITS)))
    second = [chance.randint(-900, 900) for _ in range(UNITS)]
    return NetFile(seats=[3], card={}, second=second, own=own.tobytes(), foe=foe.tobytes())


def slowly(net: NetFile, rows: list[list[int]]) -> list[float]:
    """Return a net's corrections, weight by weight; the last row is common to all."""
    own, foe = array("h", net.own), array("h", net.foe)
    found = []
    for row in rows[:-1]:
        total = 0
        for unit in range(UNITS):
            value = sum(foe[fact * UNITS + unit] for told in rows for fact in told)
            value += sum(own[fact * UNITS + unit] for fact in row)
            total += min(max(value, 0), ONE) * net.second[unit]
        found.append(total / SCALE)
    return found


@pytest.mark.parametrize("most", [60, 2000])
def test_packed_columns_add_up_to_the_digit(most: int) -> None:
    chance = Random(most)
    for _ in range(20):
        net = some_net(chance, most)
        rows = [[chance.randrange(MEMBERS) for _ in range(4)] for _ in range(3)] + [[FACTS - 1, FACTS - 2]]
        told = vec[i64]([fact for row in rows for fact in (*row, END)])
        assert list(net.net().corrections(3, told)) == slowly(net, rows)


def test_lanes_hold_the_ends_of_their_range() -> None:
    ends = array("h", [-32768, 32767, -1, 0] * 8)
    assert next(iter(packed(ends.tobytes()))) == -32768 + (32767 << 16) - (1 << 32)


@pytest.mark.parametrize(("game", "net"), LEARNT)
def test_a_games_net_is_small_says_how_it_was_made_and_is_for_numbers_of_seats_it_has(game: Game, net: NetFile) -> None:
    package = type(game).__module__.rpartition(".")[0]
    assert len((files(package) / FILE).read_bytes()) <= 40_000
    assert net.card.keys() == CARD
    assert set(net.seats) <= set(game.seat_numbers)
    assert read_net(package).mark == net.mark
    assert "learned" in game.worths


def test_a_net_of_other_sizes_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cut = msgspec.structs.replace(some_net(Random(1), 60), own=b"\0\0")
    monkeypatch.setattr("games.core.nets.files", lambda _: tmp_path)
    (tmp_path / FILE).write_bytes(msgspec.json.encode(cut))
    with pytest.raises(ValueError, match=r"net\.json has other sizes than a net"):
        read_net("a.game")
