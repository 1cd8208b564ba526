"""The search finds what is there to find, and knows no more than its observer."""

import json
from dataclasses import replace
from hashlib import sha256
from itertools import pairwise
from statistics import fmean
from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from librt.vecs import append, vec
from mypy_extensions import i64

from bench.arena import position
from games.core.advice import Advisor
from games.core.dice import CHOICE, Dice, FastDice
from games.core.game import Game
from games.core.levels import LEVELS
from games.core.playout import playout
from games.core.registry import registered
from games.core.table import Journal, Table
from games.search import advise
from games.search.advise import Budget, choose, choose_at, report
from games.search.analysis import analyse
from games.search.line import RootStats
from games.search.node import Node
from games.search.pick import greedy_move
from games.search.tree import LUCK, TreeSearch
from tests.toy import GAME as PEBBLES
from tests.toy.game import PebbleOptions, PebbleView
from tests.toy.table import PLAY, TAKE
from tests.workers.tales import HIDDEN_OFFSET, Blank, Draw, End, Place, Sealed, Tale, Turn

COUNCIL = registered()["hoher-rat"]
COLD = replace(LEVELS["medium"], temperature=0.0)
OUTCOMES = {
    "barbarossa": "41cbc682959331a2",
    "gartenzwerge": "7577ed14bd04874d",
    "hoher-rat": "ce897e8863f6bdb6",
    "wichtel": "71c2a0dd3a2342c6",
}
"""Result of `outcomes` for each game."""

WON, LOST = End((1.0, 0.0)), End((0.0, 1.0))


def searched(place: Place, iterations: int, seats: int = 2, observer: int = 0, seed: int = 1) -> TreeSearch:
    search = TreeSearch(Tale(seats, place), observer, Blank(), seed)
    search.run(iterations)
    return search


def pebbles(heap: int, card: int | None) -> PebbleView:
    """Return seat 0's view of two players who take from a heap, its own card at hand, the other's unknown."""
    played = [number for number in range(1, 7) if number > 4 and number != card]
    return PebbleView(
        ruleset=PEBBLES.ruleset,
        seats=2,
        ply=4,
        seat=0,
        actors=[0],
        heap=heap,
        card=card,
        holding=[card is not None, True],
        bids=[1, 1],
        played=played,
        turn=0,
        winner=None,
    )


def council(seats: int, seed: int, plies: int) -> tuple[Table, int]:
    """Return a table in the middle of a game, and a seat that may move."""
    table = COUNCIL.new(seats, COUNCIL.options_type(), FastDice(seed))
    playout(table, FastDice(seed + 1), plies)
    return table, COUNCIL.actors(table)[0]


@pytest.mark.parametrize("level", ["greedy", "tuned", "easy", "medium"])
@pytest.mark.parametrize(("heap", "card", "win"), [(3, 1, TAKE + 3), (2, 1, TAKE + 2), (4, 4, PLAY + 4)])
def test_every_level_but_random_takes_the_last_pebble(level: str, heap: int, card: int, win: int) -> None:
    assert choose(PEBBLES, pebbles(heap, card), level, 5) == win


class FewLooks(Tale):
    """A tale in which a search considers only moves below 2."""

    def candidates(self, seat: int) -> vec[i64]:
        found = vec[i64]()
        for move in self.legal(seat):
            if move < 2:
                found = append(found, move)
        return found

    def clone(self) -> Table:
        return FewLooks(self.seats, self.place, self.answers)


def test_searches_and_bots_skip_moves_that_are_no_candidates() -> None:
    table = FewLooks(2, Turn(0, {0: LOST, 1: Turn(1, {0: LOST, 2: LOST, 1: WON}), 2: WON}))
    search = TreeSearch(table, 0, Blank(), 1)
    search.run(100)
    assert set(search.lines) == {0, 1}
    assert search.best() == 1
    assert search.lines[1].mean < 0.6, "the other seat's move 0 is looked at"
    assert greedy_move(table, 0, Blank(), 2, 1) == 1


def test_a_search_of_one_move_alone_learns_what_that_is_worth_whether_it_is_a_candidate_or_not() -> None:
    replies = Turn(1, {0: LOST, 1: WON})
    place = Turn(0, {0: WON, 1: Turn(1, {0: LOST, 1: Turn(0, {0: LOST, 1: WON})}), 2: replies})
    for move, worth in ((0, 1.0), (2, 0.0)):
        search = TreeSearch(FewLooks(2, place), 0, Blank(), 1, only=move)
        search.run(200)
        assert set(search.lines) == {move}
        assert (search.lines[move].visits, search.best()) == (200, move)
        assert search.lines[move].mean == pytest.approx(worth, abs=0.2)


def test_a_seat_with_a_fixed_move_answers_first() -> None:
    class Hasty(Tale):
        """A tale in which the first of several simultaneous answers ends the moment."""

        def apply(self, seat: int, move: int, dice: Dice, journal: Journal | None) -> None:
            self.place = WON if (seat, move) == (1, 1) else LOST

        def clone(self) -> Table:
            return Hasty(self.seats, self.place, self.answers)

    asked = Sealed({(first, second): LOST for first in (0, 1) for second in (0, 1)})
    free, alone = (TreeSearch(Hasty(2, asked), 1, Blank(), 1, only=only) for only in (-1, 1))
    for search in (free, alone):
        search.run(50)
    assert sum(line.visits for line in free.lines.values()) == 0
    assert (alone.lines[1].visits, alone.lines[1].mean) == (50, 0.0)


def test_the_search_blocks_the_move_that_would_lose_to_every_reply() -> None:
    other_wins = Turn(1, {0: LOST, 1: WON})
    blocked = Turn(1, {0: Turn(0, {0: WON, 1: LOST}), 1: Turn(0, {0: WON, 1: LOST})})
    search = searched(Turn(0, {0: other_wins, 1: other_wins, 2: blocked, 3: other_wins}), 200)
    assert search.best() == 2
    assert search.lines[2].mean > 0.8
    assert search.lines[0].mean < 0.5


def test_the_search_plans_a_sacrifice_two_moves_ahead() -> None:
    trap = Turn(1, {0: Turn(0, {0: WON}), 1: Turn(0, {0: WON})})
    tempting = Turn(1, {0: WON, 1: WON, 2: LOST})
    assert searched(Turn(0, {0: tempting, 1: trap}), 300).best() == 1


def test_of_three_seats_each_goes_for_its_own_reward() -> None:
    kind, spiteful = End((1.0, 0.4, 0.0)), End((0.0, 0.3, 1.0))
    safe = End((0.5, 0.2, 0.5))
    left = Turn(1, {0: kind, 1: spiteful})
    search = searched(Turn(0, {0: left, 1: safe}), 200, seats=3)
    assert search.best() == 0
    assert search.lines[0].mean > 0.6


def test_a_search_has_the_mean_reward_of_each_seat_over_its_leaves() -> None:
    ends = {0: End((1.0, 0.2, 0.0)), 1: End((0.0, 0.4, 0.8))}
    search = searched(Turn(0, ends), 50, seats=3)
    shares = [search.lines[move].visits / 50 for move in ends]
    mixed = [shares[0], 0.2 * shares[0] + 0.4 * shares[1], 0.8 * shares[1]]
    assert sum(shares) == 1
    assert search.values() == pytest.approx(mixed)
    assert search.values()[0] == pytest.approx(search.mean)


def test_mates_with_equal_rewards_work_together() -> None:
    pro, contra = End((1.0, 0.0, 1.0, 0.0)), End((0.0, 1.0, 0.0, 1.0))
    ours = Turn(2, {0: contra, 1: pro})
    theirs = Turn(3, {0: pro, 1: contra})
    assert searched(Turn(0, {0: theirs, 1: ours}), 200, seats=4).best() == 1


def test_chance_counts_by_its_mean() -> None:
    often = Draw((WON, WON, WON, LOST))
    seldom = Draw((WON, LOST, LOST, LOST))
    search = searched(Turn(0, {0: seldom, 1: often}), 2000)
    assert search.best() == 1
    assert search.lines[1].mean == pytest.approx(0.75, abs=0.05)


@pytest.mark.parametrize(
    ("seen", "guessed"), [([0], 1.0), ([1], 0.5), ([], 0.5)], ids=["mine", "another's", "nobody's"]
)
def test_a_draw_is_told_apart_by_those_who_see_it_alone(seen: list[int], guessed: float) -> None:
    ways = (Turn(0, {0: WON, 1: LOST}), Turn(0, {0: LOST, 1: WON}))
    search = searched(Turn(0, {0: Draw(ways, seen=sum(1 << seat for seat in seen))}), 2000)
    assert search.lines[0].mean == pytest.approx(guessed, abs=0.1)


def test_a_seats_knowledge_survives_another_seats_move() -> None:
    ways = tuple(Turn(1, {0: Turn(0, guess)}) for guess in ({0: WON, 1: LOST}, {0: LOST, 1: WON}))
    seen, unseen = (searched(Turn(0, {0: Draw(ways, seen=who)}), 2000).lines[0].mean for who in (0b01, 0b10))
    assert seen > 0.9
    assert unseen == pytest.approx(0.5, abs=0.1)


def test_nobody_looks_beyond_where_all_is_dealt_afresh() -> None:
    certain = Turn(0, {0: WON, 1: WON})
    told, afresh = (searched(Turn(0, {0: Draw((certain,), afresh=new)}), 100).lines[0] for new in (False, True))
    assert told.visits == afresh.visits == 100
    assert told.mean > 0.9
    assert afresh.mean == 0.5


PENNIES: dict[tuple[int, ...], Place] = {(0, 0): WON, (1, 1): WON, (0, 1): LOST, (1, 0): LOST}


def test_a_sealed_answer_is_not_seen_by_those_who_answer_after_it() -> None:
    first, second = searched(Sealed(PENNIES), 3000), searched(Sealed(PENNIES), 3000, observer=1)
    for search in (first, second):
        assert fmean(line.mean for line in search.lines.values()) == pytest.approx(0.5, abs=0.1)
    public = Turn(0, {own: Turn(1, {other: PENNIES[own, other] for other in (0, 1)}) for own in (0, 1)})
    assert searched(public, 3000).lines[0].mean < 0.1


def with_model(table: Table, iterations: int, observer: int = 0) -> TreeSearch:
    search = TreeSearch(table, observer, Blank(), 1)
    search.model = Blank()
    search.run(iterations)
    return search


def test_others_with_a_model_make_the_move_that_looks_best_one_ply_ahead() -> None:
    replies = Turn(1, {0: End((0.4, 0.6)), 1: Turn(1, {0: LOST})})
    place = Turn(0, {0: replies, 1: End((0.2, 0.8))})
    assert searched(place, 1_000).lines[0].mean < 0.2, "the tree finds the reply that wins later"
    modelled = with_model(Tale(2, place), 1_000)
    assert modelled.lines[0].mean == pytest.approx(0.4, abs=0.02)
    assert modelled.best() == 0


class Handed(Tale):
    """A tale in which seat 1 holds a card that it alone knows, and wins by the move of the same number."""

    __slots__ = ("card",)

    def __init__(self, seats: int, place: Place, answers: tuple[int, ...] = ()) -> None:
        super().__init__(seats, place, answers)
        self.card = 0

    def apply(self, seat: int, move: int, dice: Dice, journal: Journal | None) -> None:
        super().apply(seat, move, dice, journal)
        if seat == 1:
            self.place = LOST if move == self.card else WON

    def redeal(self, seat: int, dice: Dice) -> None:
        if seat != 1:
            self.card = dice.below(2, 0)

    def clone(self) -> Table:
        copy = Handed(self.seats, self.place, self.answers)
        copy.card = self.card
        return copy


def test_others_with_a_model_decide_by_what_they_hold_in_each_world() -> None:
    place = Turn(0, {0: Turn(1, {0: LOST, 1: LOST})})
    free = TreeSearch(Handed(2, place), 0, Blank(), 1)
    free.run(1_000)
    assert free.lines[0].mean > 0.3, "a tree cannot tell the hands of others apart"
    assert with_model(Handed(2, place), 1_000).lines[0].mean < 0.01


def test_an_observer_with_a_model_learns_hidden_moves_and_sealed_answers_no_sooner_than_without() -> None:
    cups: dict[int, Place] = {cup: Turn(0, {0: (WON, LOST)[cup], 1: (LOST, WON)[cup]}) for cup in (0, 1)}
    shown, hidden = (with_model(Tale(2, Turn(0, {0: Turn(1, cups, hidden=h)})), 2_000) for h in (False, True))
    assert shown.lines[0].mean > 0.9
    assert hidden.lines[0].mean == pytest.approx(0.5, abs=0.1)
    pennies: dict[tuple[int, ...], Place] = {answer: WON if answer[0] == answer[1] else LOST for answer in PENNIES}
    sealed = with_model(Tale(2, Sealed(pennies)), 2_000)
    assert [line.mean for line in sealed.lines.values()] == pytest.approx([0.5, 0.5], abs=0.1)
    seen = Draw((Turn(0, {0: WON, 1: LOST}), Turn(0, {0: LOST, 1: WON})), seen=1)
    assert with_model(Tale(2, Turn(0, {0: Turn(1, {0: seen})})), 1_000).lines[0].mean > 0.9
    unseen = replace(seen, seen=2)
    assert with_model(Tale(2, Turn(0, {0: Turn(1, {0: unseen})})), 1_000).lines[0].mean < 0.6


def test_a_walk_with_a_model_ends_at_a_full_deal() -> None:
    anew = Draw((Turn(0, {0: WON}),), afresh=True)
    assert with_model(Tale(2, Turn(0, {0: Turn(1, {0: anew})})), 200).lines[0].mean == 0.5


@pytest.mark.parametrize("game", registered().values(), ids=list(registered()))
def test_a_level_has_a_model_where_its_game_says_so_and_the_same_seed_makes_the_same_move(game: Game) -> None:
    seats = game.seat_numbers[0]
    table, seat = position(game, seats, 3)
    assert {name for name in LEVELS if game.model(name) is not None} == game.modelled
    for name in game.modelled:
        level = replace(LEVELS[name], iterations=40)
        moves = {choose_at(game, table.clone(), seat, level, 7) for _ in range(2)}
        search = TreeSearch(table, seat, game.worth(level.worth), 7)
        search.model = game.worths["tuned"]
        search.run(40)
        assert moves == {search.best()}


def test_sealed_answers_are_known_once_all_are_in() -> None:
    guess: dict[tuple[int, ...], Place] = {
        answer: Turn(0, {0: WON if answer[1] == 0 else LOST, 1: WON if answer[1] else LOST}) for answer in PENNIES
    }
    assert searched(Sealed(guess), 2000).lines[0].mean > 0.9


def test_a_hidden_move_stays_hidden_from_the_others_and_is_remembered_by_its_own_seat() -> None:
    def cups(guesser: int) -> dict[int, Place]:
        right, wrong = (WON, LOST) if guesser == 0 else (LOST, WON)
        return {cup: Turn(guesser, {0: right if cup == 0 else wrong, 1: right if cup else wrong}) for cup in (0, 1)}

    hidden = searched(Turn(0, cups(1), hidden=True), 3000)
    assert fmean(line.mean for line in hidden.lines.values()) == pytest.approx(0.5, abs=0.1)
    assert searched(Turn(0, cups(1)), 3000).lines[0].mean < 0.1
    own = searched(Turn(0, cups(0), hidden=True), 1000)
    assert max(line.mean for line in own.lines.values()) > 0.9


class Veiled(Tale):
    """A tale whose hidden moves look to others like one of a higher code than all."""

    def observed_move(self, viewer: int, seat: int, move: int) -> int:
        return move if move < HIDDEN_OFFSET else 2 * HIDDEN_OFFSET

    def clone(self) -> Table:
        return Veiled(self.seats, self.place, self.answers)


def test_a_hidden_move_stays_hidden_for_any_code() -> None:
    cups: dict[int, Place] = {cup: Turn(1, {0: (LOST, WON)[cup], 1: (WON, LOST)[cup]}) for cup in (0, 1)}
    search = TreeSearch(Veiled(2, Turn(0, cups, hidden=True)), 0, Blank(), 1)
    search.run(2_000)
    assert fmean(line.mean for line in search.lines.values()) == pytest.approx(0.5, abs=0.1)


def test_a_place_that_another_seat_owns_is_another_for_each_seat_and_none_that_a_move_or_chance_leads_to() -> None:
    place = Node(0)
    owned = [place.of(seat) for seat in (3, 0, 1, 2)]
    assert owned[0] is place
    assert len({id(each) for each in owned}) == 4
    assert [place.of(seat) for seat in (3, 0, 1, 2)] == owned
    assert all(LUCK < each.move < 0 for each in owned[1:])


def test_random_play_before_the_evaluation_sees_further_than_the_evaluation() -> None:
    lost_in_three = Turn(1, {0: Turn(0, {0: Turn(1, {0: LOST})})})
    won_in_three = Turn(1, {0: Turn(0, {0: Turn(1, {0: WON})})})
    search = TreeSearch(Tale(2, Turn(0, {0: lost_in_three, 1: won_in_three})), 0, Blank(), 1, 0.4, 10)
    search.run(4)
    assert [search.lines[move].mean for move in (0, 1)] == [0.0, 1.0]


@pytest.mark.parametrize("model", ["", "tuned"], ids=["without a model", "with a model"])
def test_a_full_tree_is_sampled_on_and_grows_no_more(model: str) -> None:
    table, seat = council(2, 7, 24)
    free, full, none = (TreeSearch(table, seat, COUNCIL.worths["greedy"], 1) for _ in range(3))
    full.room, none.room = 100, 0
    for search in (free, full, none):
        search.model = COUNCIL.worths.get(model)
        search.run(400)
    assert [sum(line.visits for line in search.lines.values()) for search in (free, full)] == [400, 400]
    assert nodes(full.top) < nodes(free.top) / 3  # places that are known still learn moves of other worlds
    assert nodes(none.top) == 1


def nodes(place: Node) -> int:
    return 1 + sum(nodes(kid) for kid in place.kids.values())


def test_an_observer_who_may_not_move_is_refused() -> None:
    with pytest.raises(ValueError, match="may not move"):
        TreeSearch(Tale(2, Turn(0, {0: WON})), 1, Blank(), 1)
    table, seat = council(2, 3, 10)
    for level in ("random", "greedy", "easy"):
        with pytest.raises(ValueError, match="may not move"):
            choose(COUNCIL, COUNCIL.view(table, 1 - seat), level, 1)
    with pytest.raises(ValueError, match="spectator"):
        choose(COUNCIL, COUNCIL.view(table, -1), "easy", 1)


@settings(max_examples=20, deadline=None)
@given(st.lists(st.integers(1, 40), min_size=1, max_size=6), st.integers(0, 2**61 - 2))
def test_the_same_seed_finds_the_same_however_the_iterations_are_cut(cuts: list[int], seed: int) -> None:
    table, seat = council(2, 7, 24)

    def found(slices: list[int]) -> list[tuple[int, int, float, float]]:
        search = TreeSearch(table, seat, COUNCIL.worths["greedy"], seed)
        for size in slices:
            search.run(size)
        return [(line.move, line.visits, line.mean, line.margin()) for line in search.lines.values()]

    assert found(cuts) == found([sum(cuts)])


@pytest.mark.parametrize(("game", "seats"), [(COUNCIL, 2), (COUNCIL, 4), (PEBBLES, 2), (PEBBLES, 3)])
def test_two_worlds_that_look_alike_to_a_seat_get_the_same_advice_byte_for_byte(game: Game, seats: int) -> None:
    differing = 0
    for seed in range(6):
        table = game.new(seats, game.options_type(), FastDice(seed))
        playout(table, FastDice(seed + 50), 2 + 5 * seed)
        if not table.actors():
            continue
        seat = game.actors(table)[0]
        other = table.clone()
        other.redeal(seat, FastDice(seed + 99))
        assert game.view(table, seat) == game.view(other, seat)
        differing += game.write(table) != game.write(other)
        advice = [json.dumps(analyse(game, game.view(truth, seat), (80, 0), seed)) for truth in (table, other)]
        assert advice[0] == advice[1]
        for level in ("random", "greedy", "easy"):
            chosen = {choose_at(game, truth, seat, LEVELS[level], seed) for truth in (table, other)}
            assert len(chosen) == 1
    assert differing >= 1


def outcomes(game: Game) -> str:
    """Return a short name for the choices and visits of searches and simple players, at some tables."""
    told = []
    for seed in range(4):
        table = game.new(game.seat_numbers[0], game.options_type(), FastDice(seed))
        playout(table, FastDice(seed + 30), 4 * seed)
        if seats := game.actors(table):
            view = game.view(table, seats[0])
            chosen = [
                choose(game, view, level, seed + more)
                for level in ("random", "greedy", "tuned")
                for more in range(0, 24, 3)
            ]
            moves = analyse(game, view, (24, 0), seed)["moves"]
            told.append([chosen, [(row["code"], row["visits"]) for row in moves]])
    return sha256(json.dumps(told).encode()).hexdigest()[:16]


@pytest.mark.parametrize(("slug", "expected"), OUTCOMES.items())
def test_a_seed_finds_what_it_has_always_found(slug: str, expected: str) -> None:
    assert outcomes(registered()[slug]) == expected, "a search that is meant to find something else changes this"


def test_a_lead_is_of_the_most_visited_move_before_the_next() -> None:
    leads = set[int]()
    for seed in range(8):
        table, seat = council(2, seed, 24)
        search = TreeSearch(table, seat, COUNCIL.worths["tuned"], seed)
        for _ in range(4):
            search.run(17)
            visits = sorted((line.visits for line in search.lines.values()), reverse=True)
            if len(visits) > 1:
                assert search.lead() == visits[0] - visits[1]
                leads.add(int(search.lead()))
    assert len(leads) > 2, leads


def test_worlds_that_tell_the_same_are_asked_twice_and_others_as_often_as_there_are() -> None:
    class Counted(Blank):
        """Counts its calls, and has the same or another opinion each time."""

        def __init__(self, step: float) -> None:
            self.asked, self.step = 0, step

        def estimate(self, table: Table) -> Any:
            self.asked += 1
            return vec[float]([self.step * self.asked, 0.0])

    table = PEBBLES.new(2, PEBBLES.options_type(), FastDice(1))
    moves = len(table.candidates(0))
    for worth, worlds, expected in ((Counted(0.0), 4, 2), (Counted(0.1), 4, 4), (Counted(0.1), 1, 1)):
        greedy_move(table, 0, worth, worlds, 5)
        assert worth.asked == expected * moves


def test_a_decided_choice_is_the_choice_of_the_whole_budget() -> None:
    for seed in range(4):
        table, seat = council(2, seed, 30 + seed)
        view = COUNCIL.view(table, seat)
        full = TreeSearch(COUNCIL.from_view(view, FastDice(1)), seat, COUNCIL.worths["tuned"], seed)
        full.run(COLD.iterations)
        assert choose_at(COUNCIL, COUNCIL.from_view(view, FastDice(1)), seat, COLD, seed) == full.best()


def test_a_report_tells_the_best_first_and_as_many_as_asked_for() -> None:
    table, seat = council(2, 11, 12)
    view = COUNCIL.view(table, seat)
    told = analyse(COUNCIL, view, (150, 0), 3)
    assert told["iterations"] == told["worlds"] == 150
    assert sum(row["visits"] for row in told["moves"]) == 150
    assert sorted(row["code"] for row in told["moves"]) == sorted(COUNCIL.legal(table, seat))
    assert [row["visits"] for row in told["moves"]] == sorted((row["visits"] for row in told["moves"]), reverse=True)
    assert all(row["interval"][0] <= row["value"] <= row["interval"][1] for row in told["moves"])
    assert [row["share"] for row in told["moves"]] == [round(row["visits"] / 150, 6) for row in told["moves"]]
    assert analyse(COUNCIL, view, (150, 0), 3, top=2)["moves"] == told["moves"][:2]


def test_a_time_budget_ends_in_time_and_tells_the_iterations_that_repeat_it() -> None:
    table, seat = council(2, 11, 12)
    view = COUNCIL.view(table, seat)
    timed = analyse(COUNCIL, view, (0, 60), 3)
    assert analyse(COUNCIL, view, (timed["iterations"], 0), 3) == timed


@pytest.mark.parametrize(("left_ms", "size"), [(None, 64), (1_000, 64), (20, 16), (15, 8), (5, 1)])
def test_slices_fit_the_time_left(monkeypatch: pytest.MonkeyPatch, left_ms: int | None, size: int) -> None:
    clock = iter((7.0, 7.0 + 1 / 100))
    monkeypatch.setattr("time.monotonic", lambda: next(clock))
    ran = list[int]()
    advisor = cast("Advisor", SimpleNamespace(run=ran.append))
    assert advise._next_size(advisor, 16, left_ms) == size
    assert ran == [16]


def test_a_search_ends_once_the_first_moves_interval_is_narrow_enough_and_its_iterations_repeat_it() -> None:
    table, seat = position(COUNCIL, 2, 3)
    view = COUNCIL.view(table, seat)

    def half_width(advice: dict[str, Any]) -> float:
        first = advice["moves"][0]
        return float(max(first["value"] - first["interval"][0], first["interval"][1] - first["value"]))

    bounds = (0.4, 0.2)
    found = [analyse(COUNCIL, view, Budget(2_000, 0, bound), 3) for bound in bounds]
    spent = [advice["iterations"] for advice in found]
    assert 100 <= spent[0] < spent[-1] < 2_000
    assert all(iterations % 100 == 0 for iterations in spent)
    assert all(half_width(advice) <= bound for advice, bound in zip(found, bounds, strict=True))
    for advice in found:
        assert analyse(COUNCIL, view, (advice["iterations"], 0), 3) == advice
        if advice["iterations"] > 100:
            assert half_width(analyse(COUNCIL, view, (advice["iterations"] - 100, 0), 3)) > half_width(advice)


def test_intervals_narrow_with_the_visits_and_widen_where_values_change() -> None:
    dice, line = FastDice(5), RootStats(1, 0.5)
    widths = []
    for visits in range(1, 6_401):
        line.add(float(dice.below(10, CHOICE) < 6), 0.24)
        if visits in {100, 400, 1_600, 6_400}:
            widths.append(line.margin())
            assert abs(line.mean - 0.6) < line.margin()
    assert all(0.3 < after / before < 0.8 for before, after in pairwise(widths))
    for _ in range(12_800):
        line.add(1.0, 0.24)
    assert line.margin() > 2 * widths[-1]


def test_advice_can_be_called_off_between_slices() -> None:
    table, seat = council(2, 11, 12)
    seen: list[int] = []

    def tick(done: int, _total: int, _partial: object) -> None:
        seen.append(done)
        if done >= 32:
            raise TimeoutError

    with pytest.raises(TimeoutError):
        analyse(COUNCIL, COUNCIL.view(table, seat), (10**6, 0), 3, tick=tick)
    assert seen == sorted(seen)
    assert seen[-1] < 10**5


def test_intervals_hold_the_mean_of_chance_about_as_often_as_they_say() -> None:
    game = Turn(0, {0: Draw((WON, WON, LOST, LOST, LOST)), 1: Draw((WON, LOST, LOST, LOST))})
    held = 0
    for seed in range(100):
        line = searched(game, 400, seed=seed).lines[0]
        held += abs(line.mean - 0.4) <= line.margin()
    assert 90 <= held <= 100


def test_a_line_keeps_mean_and_spread_as_it_goes() -> None:
    line = RootStats(7, 0.25)
    assert (line.mean, line.margin()) == (0.25, 1.0)
    values = [0.0, 1.0, 0.5, 0.5, 1.0]
    for value in values:
        line.add(value, 0.25)
    assert line.mean == pytest.approx(0.6)
    assert line.spread == pytest.approx(sum((value - 0.6) ** 2 for value in values))


def test_of_moves_tried_equally_often_the_better_one_is_told_first() -> None:
    lines = {move: RootStats(move, 0.0) for move in (0, 1, 2)}
    for move, value in ((0, 0.25), (1, 0.75), (2, 0.5)):
        lines[move].add(value, 0.25)
    table = PEBBLES.new(2, PebbleOptions(), FastDice(1))
    advisor = SimpleNamespace(lines=lines, done=3, lead=lambda: 0)
    rows = report(PEBBLES, table, cast("Advisor", advisor), None)["moves"]
    assert [row["code"] for row in rows] == [1, 2, 0]
    assert [row["interval"] for row in rows] == [[0.0, 1.0]] * 3, "as wide as results can lie apart"


def test_of_moves_tried_equally_often_the_first_of_the_better_ones_is_the_best() -> None:
    search = TreeSearch(Tale(2, Turn(0, dict.fromkeys(range(4), WON))), 0, Blank(), 1)
    for move, value in enumerate((0.25, 0.75, 0.5, 0.75)):
        search.lines[move].add(value, 0.25)
    assert search.best() == 1
    search.lines[2].add(0.5, 0.25)
    assert search.best() == 2


def test_equal_moves_are_drawn_and_each_may_come() -> None:
    table = Tale(2, Turn(0, dict.fromkeys(range(4), WON)))
    assert {greedy_move(table, 0, Blank(), 1, seed) for seed in range(40)} == {0, 1, 2, 3}
