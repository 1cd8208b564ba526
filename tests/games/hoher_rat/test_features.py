"""The net's view of a council, and the effect on its evaluation."""

from random import Random

import pytest

from games.core.bits import count, members_of
from games.hoher_rat import GAME
from games.hoher_rat.table.council import Council
from games.hoher_rat.table.faction import NUMBERS, Faction
from games.hoher_rat.table.features import FACTION, QUANTITIES, cheapest, columns_of, densest
from games.hoher_rat.table.standing import FEATURES
from games.hoher_rat.table.standing import features as features_of
from tests.games.features import Columns

COLUMNS = Columns(GAME, columns_of, QUANTITIES)
WINDOWS = [[(start + step) % 30 for step in range(16)] for start in range(30)]


Ring = set[int]


def met(seats: int, plies: int) -> list[Council]:
    return [table for table in COLUMNS.met(seats, plies) if isinstance(table, Council)]


def beside(fields: Ring) -> Ring:
    return {(field + step) % 30 for field in fields for step in (1, -1)}


def joined(fields: Ring, field: int) -> Ring:
    found = {field}
    while more := beside(found) & fields - found:
        found |= more
    return found


def longest(fields: Ring) -> int:
    return max((len(joined(fields, field)) for field in fields), default=0)


def densest_of(fields: Ring) -> int:
    """Return the maximum number of fields in any sixteen in a row."""
    return max(len(fields.intersection(window)) for window in WINDOWS)


def convinced(player: dict[int, int], sides: tuple[Faction, Faction], *, voting: bool) -> Ring:
    """Return the pieces that a player's arguments could convince, each field looked at from each beside it."""
    (first, second), (others, further) = ([set(members_of(side.first)), set(members_of(side.second))] for side in sides)
    speakers = set(members_of(sides[1].speakers))
    found = set[int]()
    for source in first | second:
        held = player.get(source % 6, 0) if source % 6 < 5 else max(player.values(), default=0)
        strong = len(joined(first if source in first else second, source)) >= 3
        for target in beside({source}) & (others | further):
            size = len(joined(others if target in others else further, target))
            free = target not in speakers
            if held >= 3 or (held == 2 and free and size < 3) or (held == 1 and free and size == 1):
                found.add(target)
            if held and voting and strong and size < 3:
                found.add(target)
    return found


def counted(table: Council, faction: int) -> dict[str, int]:
    sides = table.side(faction), table.side(faction + 1)
    side, foe = sides
    colours = [set(members_of(side.first)), set(members_of(side.second))]
    others = [set(members_of(foe.first)), set(members_of(foe.second))]
    fields, foes = set.union(*colours), set.union(*others)
    empty = set(range(30)) - fields - foes
    hand = {*members_of(side.one.hand), *members_of(side.two.hand)}
    sturdy, steady = ({f for colour in its for f in colour if len(joined(colour, f)) >= 3} for its in (colours, others))
    dear = steady | set(members_of(foe.speakers))
    price = {f: 1 if f in empty - hand else 3 if f in dear else 2 if f in foes else 0 for f in range(30)}
    purses = [{hue: player.held(hue) for hue in range(5) if player.held(hue)} for player in (side.one, side.two)]
    own = [sum(purse.get(hue, 0) for purse in purses) for hue in range(5)]
    reach = set.union(*(convinced(purse, sides, voting=table.voting) for purse in purses))
    gaps = {f for f in set(range(30)) - foes if beside({f}) <= fields}
    mine = table.turn % 2 == faction
    return {
        "block": longest(fields),
        "bridged": longest(fields | gaps),
        "strike": longest(fields | reach),
        "window": densest_of(fields),
        "seated": densest_of(fields | reach | hand & empty),
        "need": min(sum(price[f] for f in window) for window in WINDOWS),
        "pieces": len(fields),
        "pairs": sum(bool(beside({f}) & colour) for colour in colours for f in colour),
        "sturdy": len(sturdy),
        "gaps": len(gaps),
        "speakers": count(side.speakers),
        "owned": sum(own),
        "ones": sum(held >= 1 for held in own),
        "twos": sum(held >= 2 for held in own),
        "threes": sum(held >= 3 for held in own),
        "reach": len(reach),
        "near": len(hand & empty & beside(fields)),
        "hand": len(hand & empty),
        "triliths": len(hand - set(range(30))),
        "dark": len({card for card in hand if card < 30 and card % 6 == 5}),
        "supply": sum(len(colour) >= 10 for colour in colours),
        "turn": (3 if table.offered else 2 if table.acted else 1) if mine else 0,
    }


def levels_of(many: dict[str, int]) -> dict[str, int]:
    pairs, sturdy = (many["pairs"] + 1) // 2, (many["sturdy"] - 1) // 2
    return {**many, "need": many["need"] - 4, "pieces": many["pieces"] - 4, "pairs": pairs, "sturdy": sturdy}


@pytest.mark.parametrize("voting", [False, True], ids=["before the vote", "in the vote"])
@pytest.mark.parametrize("seats", [2, 4])
def test_columns_and_features_of_a_faction_match_plain_sets(seats: int, voting: bool) -> None:  # noqa: FBT001
    unlike = dict.fromkeys(COLUMNS.sizes, 0)
    same = {"pairs", "sturdy", "block", "bridged", "strike", "pieces", "speakers", "reach"}
    for table in met(seats, 2_000)[::5]:
        table.voting = voting
        for faction, heard in enumerate(COLUMNS.levels(table)[:2]):
            many = counted(table, faction)
            levels = {name: min(level, COLUMNS.sizes[name]) for name, level in levels_of(many).items() if level > 0}
            assert heard == levels
            for name, level in levels.items():
                unlike[name] = max(unlike[name], level)
            mine = table.turn % 2 == faction
            expected = {name: many[name] for name in same} | {
                "majority": many["block"] ** 2 / 16,
                "bridges": many["gaps"],
                "arguments": many["owned"],
                "colours": many["ones"],
                "cards": many["near"],
                "turn": int(mine and not table.acted),
                "turn_reach": many["reach"] * mine,
                "turn_strike": many["strike"] * mine,
            }
            assert dict(zip(FEATURES, features_of(table, faction), strict=True)) == expected
    assert min(unlike[name] for name, start in COLUMNS.starts.items() if start < FACTION) > 0, unlike


def test_the_best_sixteen_fields_in_a_row_are_found() -> None:
    chance = Random(1)
    for _ in range(50):
        one, other, few = (chance.getrandbits(30) for _ in range(3))
        foes, empty = other & ~one, NUMBERS & ~(one | other)
        price = [(empty >> f & 1) + 2 * (foes >> f & 1) + (foes & few) // (1 << f) % 2 for f in range(30)]
        assert densest(one) == max(sum(one >> f & 1 for f in window) for window in WINDOWS)
        assert cheapest(empty, foes, foes & few) == min(sum(price[f] for f in window) for window in WINDOWS)


def test_no_lane_can_overflow() -> None:
    COLUMNS.check_lanes(FACTION, 1)


def test_the_net_speaks_where_it_is_for_so_many_players_and_nowhere_else() -> None:
    assert GAME.net is not None
    tuned, learned = GAME.worths["tuned"], GAME.worths["learned"]
    for seats in GAME.seat_numbers:
        tables = met(seats, 60)
        speaks = seats in GAME.net.seats
        assert any(list(tuned.estimate(table)) != list(learned.estimate(table)) for table in tables) == speaks
        assert any(learned.prior(table, 1) != learned.estimate(table)[1] for table in tables) == speaks


def test_moves_not_walked_yet_are_judged_in_the_order_of_tuned() -> None:
    tuned, learned = GAME.worths["tuned"], GAME.worths["learned"]
    for seats in GAME.seat_numbers:
        pairs = [(tuned.prior(table, 1), learned.prior(table, 1)) for table in met(seats, 60)]
        assert [pair[1] for pair in sorted(pairs)] == sorted(pair[1] for pair in pairs)


@pytest.mark.parametrize("seats", [2, 4])
def test_the_prior_of_a_game_that_is_over_is_its_reward(seats: int) -> None:
    over = met(seats, 10_000)[-1]
    assert over.actors() == 0
    for worth in GAME.worths.values():
        assert [worth.prior(over, seat) for seat in range(seats)] == list(over.rewards())
