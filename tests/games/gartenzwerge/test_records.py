"""Written clubs that break a rule are refused by that rule, and options that make no game."""

from typing import Any

import msgspec
import pytest

from games.core.game import BrokenRecordError
from games.core.table import Table
from games.gartenzwerge.moves import SealAsk, SealMaximum
from games.gartenzwerge.options import ClubOptions
from games.gartenzwerge.view import ClubRecord
from service.snapshots.sealing import packed_size
from tests.games.gartenzwerge.positions import GAME, after, position, record_of
from tests.games.gartenzwerge.test_rules_deals import search
from tests.games.gartenzwerge.test_rules_evening import last_go


def selling() -> Table:
    return after(last_go({0: {"money": 0, "garden": "orange red blue"}}), (0, send()))


def send() -> Any:
    return msgspec.convert({"kind": "send_to_garden", "cap": "brown"}, GAME.moves[0])


def tied() -> Table:
    return after(search(), (1, SealAsk(amount=300)), (2, SealAsk(amount=300)), (0, SealMaximum(amount=400)))


@pytest.mark.parametrize(
    ("table", "path", "value", "rule"),
    [
        (position, "treasurer", 5, "GZ-1"),
        (position, "round", 0, "GZ-D5"),
        (position, "round", 41, "GZ-D5"),
        (position, "competitions", ["orange", "brown"], "GZ-17"),
        (position, "competitions", ["brown", "red"], "GZ-17"),
        (position, "highest", "brown", "GZ-17"),
        (position, "event", "sponsor", "GZ-D8"),
        (position, "events_left", ["sponsor"], "GZ-D4"),
        (position, "rested", [0], "GZ-D11"),
        (position, "begun", [1, 0], "GZ-1"),
        (position, "stage", "showing", "GZ-14"),
        (position, "stage", "over", "GZ-51"),
        (position, "winners", [0], "GZ-51"),
        (position, "due", 100, "GZ-D26"),
        (position, "answers", [50, None, None], "GZ-28"),
        (position, "answers", [None, None], "GZ-28"),
        (position, "schmiedel_lent.red", 1, "GZ-58"),
        (position, "members.0.garden.grey", 1, "GZ-23"),
        (position, "members.0.free.gold", 1, "GZ-D7"),
        (position, "members.0.lent.brown", 1, "GZ-44"),
        (position, "members.0.free.grey", 5, "GZ-D21"),
        (position, "members.1.out", True, "GZ-D30"),
        (position, "members.0.shed", [{"own": "brown", "mate": "brown", "owner": 0}], "GZ-D12"),
        (position, "members.0.shed", [{"own": "brown", "mate": "brown", "owner": None}], "GZ-D12"),
        (search, "deal", None, "GZ-20"),
        (search, "deal.shown", [None, "red", "brown"], "GZ-26"),
        (search, "deal.schmiedel", 450, "GZ-28"),
        (search, "deal.tied", [1], "GZ-28"),
        (search, "answers", [1550, None, None], "GZ-D14"),
        (search, "answers", [None, "no_bid", None], "GZ-D15"),
        (search, "answers", [400, 400, 400], "GZ-28"),
        (tied, "deal.tied", [1], "GZ-D18"),
        (tied, "deal.tied", [2, 1], "GZ-D18"),
        (tied, "answers", [400, 300, 350], "GZ-D18"),
        (selling, "due", 450, "GZ-D26"),
        (selling, "asking", 1, "GZ-D26"),
        (selling, "stage", "employing", "GZ-14"),
    ],
)
def test_a_broken_record_is_refused_by_its_rule(table: Any, path: str, value: Any, rule: str) -> None:
    wire: Any = msgspec.to_builtins(record_of(table()))
    holder, *steps = wire, *path.split(".")
    for step in steps[:-1]:
        holder = holder[int(step) if step.isdigit() else step]
    assert holder[steps[-1]] != value
    holder[steps[-1]] = value
    with pytest.raises(BrokenRecordError) as broken:
        GAME.read(msgspec.convert(wire, ClubRecord))
    assert broken.value.rule == rule
    for language in ("en", "de", "it"):
        assert GAME.explain(rule, broken.value.reason, broken.value.params, language)


@pytest.mark.parametrize(
    "options",
    [
        {"stock": {"grey": 5}},
        {"stock": {"gold": 0, "grey": 5}},
        {"breeding": {"brown": {"brown": 9}}},
        {"breeding": {"brown": {"brown": 1}}},
        {"cap_values": {"orange": 50}},
        {"cap_values": {"orange": 175}},
        {"events": ["sponsor", "sponsor"]},
        {"events": ["rain"]},
        {"round_cap": -1},
    ],
    ids=str,
)
def test_options_that_make_no_game_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(options, ClubOptions)


def test_a_club_with_every_shed_full_fits_into_a_sealed_snapshot() -> None:
    wire = msgspec.to_builtins(record_of(position(seats=6)))
    caps = ("brown", "orange", "red", "blue", "green")
    shed = [{"own": caps[place % 5], "mate": caps[place % 4], "owner": place % 6} for place in range(22)]
    wire["members"] = [{**member, "blossoms": 10**9, "shed": shed} for member in wire["members"]]
    record = msgspec.convert(wire, GAME.record_type)
    assert packed_size(record) + 500 < GAME.record_bytes, "deals and answers vary by less"
