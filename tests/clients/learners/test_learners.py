"""A learner's observation is its seat's knowledge, and its actions make every legal move."""

import json
import random
from collections.abc import Iterator
from itertools import chain
from typing import Any, Final, cast

import msgspec
import numpy as np
import pytest
from dorfplatz_games import learners
from librt.vecs import vec
from mypy_extensions import i64

from games.barbarossa.moves import AskAbout
from games.barbarossa.options import WizardOptions
from games.barbarossa.table.lexicon import ATTRIBUTE_COUNT
from games.barbarossa.table.phases import FIRST_ROUND, JUDGING, MOVING
from games.barbarossa.table.phases import OVER as ENDED
from games.barbarossa.terms.catalogue import ATTRIBUTES
from games.core.dice import FastDice
from games.core.learning import OVER, REFUSED, Episode
from games.core.registry import registered
from games.core.table import Table
from games.hoher_rat.moves import Confer, ReturnCard
from games.hoher_rat.view import CouncilView
from tests.clients.learners.digests import FILE, digests
from tests.games.barbarossa.positions import modelled, play, standing
from tests.games.hoher_rat.positions import Known, after, position

CASES: Final = [(slug, seats) for slug, game in registered().items() for seats in game.seat_numbers]
MOVE_STEP: Final = 6
"""Moves between two tables that are looked at."""

MOVES: Final = 120
every_case = pytest.mark.parametrize(("slug", "seats"), CASES)


@pytest.fixture
def spaces() -> Any:
    return learners


def walk(learner: Any, table: Table, seat: int, draw: random.Random) -> tuple[list[int], int]:
    """Take actions at random until they make a move; return them with its code."""
    begun: list[int] = []
    while True:
        choices = learner.choices(table, seat, begun)
        assert choices, "a seat that is asked has an action"
        action = draw.choice(sorted(choices))
        assert 0 <= action < learner.actions.size
        begun.append(action)
        if choices[action] >= 0:
            return begun, choices[action]


def play_tables(slug: str, seats: int, learner: Any, seed: int, moves: int = MOVES) -> Iterator[Table]:
    game, draw, dice = registered()[slug], random.Random(seed), FastDice(seed)
    table = game.new(seats, game.options_type(), dice)
    for _ in range(moves):
        yield table
        actors = game.actors(table)
        if not actors:
            return
        seat = draw.choice(actors)
        table.apply(seat, walk(learner, table, seat, draw)[1], dice, None)


@every_case
def test_two_worlds_that_a_seat_cannot_tell_apart_give_it_the_same(spaces: Any, slug: str, seats: int) -> None:
    game, learner, dice = registered()[slug], spaces.learner(slug, seats), FastDice(5)
    others_differ = False
    for number, table in enumerate(play_tables(slug, seats, learner, 3)):
        if number % MOVE_STEP:
            continue
        for seat in range(seats):
            other = table.clone()
            other.redeal(seat, dice)
            seen = learner.layout.observe(table, seat)
            assert seen.shape == (learner.layout.size,)
            assert np.array_equal(seen, learner.layout.observe(other, seat))
            assert msgspec.json.encode(game.view(table, seat)) == msgspec.json.encode(game.view(other, seat))
            if seat in game.actors(table):
                assert seat in game.actors(other)
                assert set(learner.choices(table, seat, ())) == set(learner.choices(other, seat, ()))
            others_differ |= not np.array_equal(
                learner.layout.observe(table, (seat + 1) % seats), learner.layout.observe(other, (seat + 1) % seats)
            )
    assert others_differ, "what is dealt anew is seen by somebody else"


@every_case
def test_actions_make_every_legal_move_and_no_other(spaces: Any, slug: str, seats: int) -> None:
    game, learner = registered()[slug], spaces.learner(slug, seats)
    for number, table in enumerate(play_tables(slug, seats, learner, 4)):
        if number % MOVE_STEP or (slug == "barbarossa" and number < seats):
            continue
        for seat in game.actors(table):
            made: list[int] = []
            for action, code in learner.choices(table, seat, ()).items():
                further = learner.choices(table, seat, (action,)) if code < 0 else {action: code}
                assert all(0 <= each < learner.actions.size for each in further)
                made += further.values()
            assert sorted(made) == sorted(game.legal(table, seat))


@every_case
def test_moves_of_the_contract_and_actions_are_told_of_each_other(spaces: Any, slug: str, seats: int) -> None:
    game, learner, draw = registered()[slug], spaces.learner(slug, seats), random.Random(6)
    lengths = set()
    for table in play_tables(slug, seats, learner, 6):
        for seat in game.actors(table):
            taken, code = walk(learner, table, seat, draw)
            assert learner.path(table, seat, code) == tuple(taken)
            lengths.add(len(taken))
            assert learner.path(table, (seat + 1) % seats, code) in ((), tuple(taken))
            assert learner.path(table, seat, -1) == learner.path(table, seat, 1 << 60) == ()
    assert 1 in lengths
    assert len(lengths) > 1 or slug != "barbarossa"


def test_a_follower_who_comes_from_the_ring_is_an_action_of_its_own(spaces: Any) -> None:
    game, learner = registered()["hoher-rat"], spaces.learner("hoher-rat", 4)
    games = (play_tables("hoher-rat", 4, learner, seed, 800) for seed in range(20))
    paths: dict[int, tuple[int, ...]] = {}
    for table in chain.from_iterable(games):
        for seat in game.actors(table):
            paths = {code: learner.path(table, seat, code) for code in game.legal(table, seat) if code >> 24}
        if paths:
            break
    assert paths
    assert len({path[0] for path in paths.values()}) < len(paths) == len(set(paths.values()))
    assert {len(path) for path in paths.values()} == {2}


@pytest.mark.parametrize("seats", [3, 4])
def test_a_modelling_of_barbarossa_is_legal_and_names_the_terms_that_were_taken(spaces: Any, seats: int) -> None:
    game, learner = registered()["barbarossa"], spaces.learner("barbarossa", seats)
    table = game.new(seats, game.options_type(), FastDice(1))
    taken, code = walk(learner, table, 0, random.Random(2))
    move = game.decode(table, code)
    assert game.refuse(table, 0, move) is None or code in game.legal(table, 0)
    assert len(taken) == 2 * (3 if seats == 3 else 2)
    assert len(set(taken[::2])) == len(taken[::2])
    assert set(learner.choices(table, 0, taken[:2])).isdisjoint(taken[:1])


def test_games_with_an_index_for_every_move_use_it(spaces: Any) -> None:
    for slug, seats in (("wichtel", 3), ("gartenzwerge", 4)):
        game, learner = registered()[slug], spaces.learner(slug, seats)
        assert learner.actions.size == game.actions.size
        table = game.new(seats, game.options_type(), FastDice(9))
        seat = game.actors(table)[0]
        assert learner.choices(table, seat, ()) == {
            game.actions.index(game.decode(table, code)): code for code in game.legal(table, seat)
        }


@every_case
def test_rewards_sum_to_nothing_and_go_by_the_shares_of_the_win(spaces: Any, slug: str, seats: int) -> None:
    game, learner, dice = registered()[slug], spaces.learner(slug, seats), FastDice(8)
    table, draw = game.new(seats, game.options_type(), dice), random.Random(8)
    assert learner.rewards(table) == [0.0] * seats
    while actors := game.actors(table):
        table.apply(actors[0], walk(learner, table, actors[0], draw)[1], dice, None)
    rewards, shares = learner.rewards(table), game.outcome(table)
    assert shares is not None
    assert sum(rewards) == pytest.approx(0)
    assert [rewards[0] - reward for reward in rewards] == pytest.approx([shares[0] - share for share in shares])


def test_a_field_lies_where_the_card_says(spaces: Any) -> None:
    learner = spaces.learner("hoher-rat", 2)
    table: Any = registered()["hoher-rat"].new(2, registered()["hoher-rat"].options_type(), FastDice(2))
    starts = {field.name: start for field, start in zip(learner.layout.fields, learner.layout.starts, strict=True)}
    for seat in range(2):
        seen = learner.layout.observe(table, seat)
        for other in range(2):
            start = starts[f"seat_{other}_known"]
            cards = {int(card) for card in np.flatnonzero(seen[start : start + 32])}
            held: int = table.player(other).hand
            assert cards == ({card for card in range(32) if held >> card & 1} if other == seat else set())
    assert f"| {starts['seat_1_known']} | 32 | `seat_1_known` | set |" in learner.layout.document()


@pytest.mark.parametrize("turn", range(4))
def test_a_learner_of_the_council_knows_the_cards_that_its_view_shows(spaces: Any, turn: int) -> None:
    game, learner = registered()["hoher-rat"], spaces.learner("hoher-rat", 4)
    starts = {field.name: start for field, start in zip(learner.layout.fields, learner.layout.starts, strict=True)}
    partner, number = (turn + 2) % 4, 3 if turn < 2 else 0
    table = position(
        seats=4, turn=turn, hands={turn: [1, 7, 13], partner: [2, 3, 31]}, shown={turn: [1, 7, 13], partner: [2]},
        known={turn % 2: Known([1, 7, 13], number, number)},
    )  # fmt: skip
    known = set[tuple[int, ...]]()
    for move in (None, Confer(card=7), ReturnCard(card=31)):
        table = table if move is None else after(table, game.actors(table)[0], move)
        for viewer in range(4):
            seen, view = learner.layout.observe(table, viewer), cast("CouncilView", game.view(table, viewer))

            def cards(name: str, seen: Any = seen) -> list[int]:
                return [int(card) + 1 for card in np.flatnonzero(seen[starts[name] :][:32])]

            for seat, councillor in enumerate(view.councillors):
                assert cards(f"seat_{seat}_known") == sorted(councillor.known)
            known.add(tuple(view.councillors[turn].known))
            assert cards("offered") == ([] if view.offered is None else [view.offered])
            assert cards("partner_knows") == sorted(view.partner_knows)
            assert seen[starts["conferring"]] == view.conferring
    assert len(known) > 3


def test_once_it_is_over_all_terms_of_barbarossa_are_seen_by_everybody(spaces: Any) -> None:
    learner = spaces.learner("barbarossa", 3)
    starts = {field.name: start for field, start in zip(learner.layout.fields, learner.layout.starts, strict=True)}

    def seen(table: Table, seat: int) -> list[int]:
        found = learner.layout.observe(table, seat)
        fields = [found[starts[f"riddle_{number}_term"] :][:9] for number in range(9)]
        return [sum(int(bit) << place for place, bit in enumerate(field)) for field in fields]

    for phase, known in ((MOVING, False), (JUDGING, False), (ENDED, True)):
        table = modelled()
        table.phase, table.asker = phase, 0
        terms = [int(table.riddle(number).term) + 1 for number in range(9)]
        for seat in range(3):
            assert seen(table, seat) == [
                term if known or number // 3 == seat else 0 for number, term in enumerate(terms)
            ]


@pytest.mark.parametrize("attribute", [0, 1, ATTRIBUTE_COUNT - 1, None])
def test_all_see_the_attribute_of_a_question_of_barbarossa_that_waits(spaces: Any, attribute: int | None) -> None:
    learner = spaces.learner("barbarossa", 3)
    start = learner.layout.starts[[field.name for field in learner.layout.fields].index("open_question")]
    hall = standing(FIRST_ROUND, options=WizardOptions(answers="human"))
    seen = 0
    if attribute is not None:
        hall, _ = play(hall, 0, AskAbout(riddle=3, question=ATTRIBUTES[attribute].id))
        seen = attribute + 1
    for seat in range(3):
        digits = learner.layout.observe(hall, seat)[start:][:8]
        assert sum(int(digit) << place for place, digit in enumerate(digits)) == seen


@pytest.mark.parametrize(("slug", "seats"), [("hoher-rat", 3), ("chess", 2)])
def test_a_game_that_is_not_played_so_is_refused(spaces: Any, slug: str, seats: int) -> None:
    with pytest.raises(ValueError, match=slug):
        spaces.learner(slug, seats)


def test_all_that_is_seen_and_allowed_is_the_same_compiled_and_not(spaces: Any) -> None:
    assert digests(spaces.learner) == json.loads(FILE.read_text())


@every_case
def test_an_episode_shows_at_every_step_what_the_layout_and_the_rules_say(spaces: Any, slug: str, seats: int) -> None:
    game, learner, draw, dice = registered()[slug], spaces.learner(slug, seats), random.Random(9), FastDice(9)
    table, mask = game.new(seats, game.options_type(), dice), learner.actions.mask()
    observers = [learner.layout.observer() for _ in range(seats)]
    episode = Episode(table, dice, mask, observers)
    begun: list[int] = []
    for number in range(MOVES):
        seat, allowed = episode.seat, np.flatnonzero(np.frombuffer(mask.row, np.int8)).tolist()
        assert seat == game.actors(table)[0]
        choices = learner.choices(table, seat, begun)
        assert {action: mask.code_of(action) for action in allowed} == choices
        for viewer in range(seats):
            episode.look(viewer)
            if number % MOVE_STEP:
                continue
            fresh = learner.layout.observer()
            fresh.look(table, viewer, vec[i64](begun if viewer == seat else ()))
            assert bytes(observers[viewer].bits) == bytes(fresh.bits)
        forbidden = next(action for action in range(mask.amount + 1) if action not in choices)
        for refused in (-1, forbidden, learner.actions.size):
            assert episode.step(refused) == REFUSED
        action = draw.choice(allowed)
        begun = [*begun, action] if choices[action] < 0 else []
        if episode.step(action) == OVER:
            assert not game.actors(table)
            return
