"""Whole games played by the tools of the MCP server alone, and how much text that takes."""

import pytest
from flask import Flask

from dorfplatz_mcp.compact import LIST_CHARACTERS, VIEW_CHARACTERS, changes, compact, ditto, part_of, summary, written
from tests.clients.mcp.whole_games import CHARACTERS_PER_TOKEN, MAX_TOKENS, play, tables

MARGIN_TOKENS = 6_000
"""Tokens left free beside the longest measured game, for longer ones; a cap on turns bounds all of them."""

LONG_GAMES = [("hoher-rat", 2, 2), ("wichtel", 4, 1), ("gartenzwerge", 5, 1), ("barbarossa", 3, 1)]
"""Games with their seats and a seed: the longest of each."""


@pytest.mark.thorough
@pytest.mark.parametrize(("game", "seats", "seed"), LONG_GAMES)
def test_a_whole_game_fits_into_what_a_model_reads(every_game: Flask, game: str, seats: int, seed: int) -> None:
    with tables(every_game) as service:
        agent = play(service, game, seats, seed)
    assert agent.longest["look"] <= VIEW_CHARACTERS
    for tool in ("legal_moves", "history", "rules", "games"):
        assert agent.longest[tool] <= LIST_CHARACTERS, tool
    assert agent.total // CHARACTERS_PER_TOKEN < MAX_TOKENS - MARGIN_TOKENS


def test_a_view_of_any_size_is_cut_by_parts_that_can_be_read() -> None:
    rows = [{"number": number, "piece": {"parts": [[0.5] * 9] * 9}, "term": None} for number in range(1, 9)]
    view = {"phase": "asking", "counts": {"a": 0, "b": 2, "c": 0}, "rows": rows, "empty": []}
    shown, left_out = summary(compact(view), 900)
    assert len(written(shown)) + len(written(left_out)) <= 900
    assert left_out == ["rows/*/piece"]
    assert shown == {"phase": "asking", "counts": {"b": 2}, "rows": [{"number": number} for number in range(1, 9)]}
    assert part_of(view, "rows/2/piece") == rows[2]["piece"]
    shown, left_out = summary(compact(view), 60)
    assert len(written(shown)) + len(written(left_out)) <= 60


def test_changes_of_a_view_make_the_later_from_the_earlier() -> None:
    old = {
        "turn": 1,
        "ring": {"2": "a", "5": "b"},
        "rows": [{"seat": 0, "points": 1}, {"seat": 1, "points": 4}],
        "hand": [1],
    }
    new = {"turn": 2, "ring": {"5": "c"}, "rows": [{"seat": 0, "points": 1}, {"seat": 1, "points": 5}], "hand": [1, 2]}
    assert changes(old, new) == {
        "turn": 2,
        "ring": {"5": "c", "2": None},
        "rows": {"1": {"points": 5}},
        "hand": [1, 2],
    }
    assert changes(old, old) == {}


def test_changes_of_a_rising_list_of_numbers_are_the_added_and_removed_ones() -> None:
    old = {"discard": [1, 5, 9, 12, 16, 21, 25, 26, 28, 30, 31, 32]}
    assert changes(old, {"discard": [1, 5, 6, 9, 16, 21, 25, 26, 28, 30, 31, 32]}) == {
        "discard": {"added": [6], "removed": [12]}
    }
    assert changes(old, {"discard": [2]}) == {"discard": [2]}, "the shorter form"
    assert changes(old, {"discard": [25, *old["discard"]]}) == {"discard": [25, *old["discard"]]}, "order may matter"
    assert changes({"bids": [3, 3, 3, 3, 3, 3]}, {"bids": [3, 3, 3, 3, 3]}) == {"bids": [3, 3, 3, 3, 3]}


def test_an_ellipsis_stands_for_the_words_that_the_sentence_before_begins_with() -> None:
    told = ["Take field 4 with a white one", "Take field 4 with a red one", "Take field 5", "Take field 5", "Pass"]
    rows = ditto([(str(code), text) for code, text in enumerate(told)])
    assert [text for _, text in rows] == [
        "Take field 4 with a white one",
        "… red one",
        "… 5",
        "Take field 5",
        "Pass",
    ]


def test_a_move_shows_what_it_changed_while_the_seat_is_asked_again_and_no_look_repeats_it(every_game: Flask) -> None:
    with tables(every_game) as service:
        handle = service.open_table("hoher-rat", ["open"], "Agent", "1", 0)["table"]
        invited = service._tables.get(handle)
        assert invited is not None
        (code,) = invited.seat.invites.values()
        other = service.client.claim(invited.seat.session, 1, code=code)
        seen = service.look(handle)
        if not seen["your_turn"]:
            other.look()
            while other.is_asked:
                other.move(next(move for move in other.legal_moves() if "nd the turn" in move["label"]))
            service.look(handle)
        listed = service.legal_moves(handle)["moves"]
        claims = service.legal_moves(handle, containing="take the seat")["moves"]
        assert claims.keys() < listed.keys()
        played = service.move(handle, {"code": int(next(iter(claims)))})
        assert played["your_turn"]
        assert played["changed"]["ring"]
        again = service.look(handle)
        assert not {"view", "changed"} & again.keys()
        assert not set(played["news"]) & set(again.get("news", []))
        told = written(service.move(handle, {"kind": "end_turn"}))
        assert "changed" not in told
