"""Standing answers and giving up: a game's moves for a seat that does not move itself."""

from typing import Final

import pytest
from hypothesis import given

from games.core.dice import FastDice
from games.core.game import Game
from games.core.texts import LANGUAGES

from .cases import GAMES, every_game, examples, seeds, walk
from .test_ends import assert_standing
from .test_texts import assert_whole

ANSWERING: Final = [game for game in GAMES.values() if game.standing]

TEAMLESS_GAMES: Final = [game for game in GAMES.values() if 3 in game.seat_numbers and len(game.teams(3)) == 3]
"""The games in which three play each for himself."""

answering = pytest.mark.parametrize("game", ANSWERING, ids=lambda game: game.slug)


@answering
@examples(8)
@given(seed=seeds)
def test_a_standing_answer_is_a_legal_move_from_the_seats_knowledge(game: Game, seed: int) -> None:
    given_ = set()
    for made in walk(game, game.new(game.seat_numbers[0], game.options_type(), FastDice(seed)), seed, 40):
        for seat in range(game.seat_numbers[0]):
            other = made.before.clone()
            other.redeal(seat, FastDice(seed))
            for name in game.standing:
                code = game.answer(made.before, seat, name)
                assert code is None or code in game.legal(made.before, seat)
                assert game.answer(other, seat, name) == code
                given_ |= {name} if code is not None else set()
    assert given_


@answering
def test_standing_answers_have_names_in_three_languages(game: Game) -> None:
    assert len(set(game.standing)) == len(game.standing)
    for language in LANGUAGES:
        texts = game.texts.sections[language]["standing"]
        assert set(texts) == set(game.standing)
        for sentence in texts.values():
            assert_whole(sentence)


@every_game
def test_a_team_of_which_one_gives_up_loses_and_the_others_share_the_win(game: Game) -> None:
    for seats in game.seat_numbers:
        for seat in range(seats):
            rewards = game.forfeit(seats, [seat])
            assert_standing(game, seats, rewards)
            assert rewards[seat] == 0
            (team,) = (team for team in game.teams(seats) if seat in team)
            assert all((reward == 0) == (other in team) for other, reward in enumerate(rewards))


@pytest.mark.parametrize("game", TEAMLESS_GAMES, ids=lambda game: game.slug)
def test_a_single_resignation_leaves_the_win_to_all_others(game: Game) -> None:
    assert game.forfeit(3, [1]) == [0.5, 0.0, 0.5]
    assert game.forfeit(3, [0, 2]) == [0.0, 1.0, 0.0]


@every_game
def test_where_several_are_out_their_teams_have_lost_and_where_that_is_all_nobody_has_won_more(game: Game) -> None:
    for seats in game.seat_numbers:
        assert_standing(game, seats, game.forfeit(seats, range(seats)))
        assert len(set(game.forfeit(seats, range(seats)))) == 1
        for team in game.teams(seats):
            assert game.forfeit(seats, team) == game.forfeit(seats, team[:1])
