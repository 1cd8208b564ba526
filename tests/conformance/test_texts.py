"""Every sentence a player may read is there in every language, and is whole."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import cycle
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given

from games.core.game import Game
from games.core.registry import ours
from games.core.table import SPECTATOR
from games.core.texts import LANGUAGES

from .cases import MAX_MOVES, Case, every_case, every_game, examples, seeds, some, walk

RULE_ID = re.compile(r"[A-Z]{2}-D?[0-9]+")
PLACEHOLDER = re.compile(r"[{}]|\bNone\b|\bnull\b|\[\]")


def assert_whole(sentence: str) -> None:
    """Check that nothing of the template is left in a sentence."""
    assert sentence.strip() == sentence != ""
    assert not PLACEHOLDER.search(sentence), sentence
    assert "  " not in sentence, sentence


@every_case
@examples(3)
@given(seed=seeds)
def test_labels_events_and_headlines_are_whole_sentences_in_three_languages(case: Case, seed: int) -> None:
    game = case.game
    for made in walk(game, case.somewhere(seed), seed, 12):
        for language in LANGUAGES:
            names = game.seat_names(case.seats, language)
            assert len(set(names)) == case.seats
            view = game.view(made.before, made.seat)
            labels = [
                game.label(game.decode(made.before, code), language, view)
                for code in some(game.legal(made.before, made.seat))
            ]
            assert len(set(labels)) == len(labels), "two moves with one label"
            for sentence in (
                *labels,
                game.prompt(view, language),
                *(game.tell(told.event, language, names) for told in made.step.heard),
                *(game.headline(game.view(made.step.table, viewer), language) for viewer in case.viewers),
            ):
                assert_whole(sentence)


@every_case
@examples(3)
@given(seed=seeds)
def test_refusals_are_whole_sentences_in_three_languages(case: Case, seed: int) -> None:
    game = case.game
    elsewhere = [
        game.decode(made.before, code)
        for other in range(4)
        for made in walk(game, case.somewhere(seed + other), seed, 2)
        for code in some(game.legal(made.before, made.seat))
    ]
    said = set()
    table = case.somewhere(seed)
    for seat in range(case.seats):
        for move in elsewhere:
            refusal = game.refuse(table, seat, move)
            if refusal:
                said.add(refusal.reason)
                for language in LANGUAGES:
                    names = game.seat_names(case.seats, language)
                    assert_whole(game.explain(refusal.rule, refusal.reason, refusal.params, language, names))
    assert said


UNNAMED = "§{}"
"""Name of a seat while a test looks for the places where players' names belong."""

PLAYERS = ("Ada <b>", "Bo | Co?", "none", "white", 'D"dy', "Emil's")


@every_case
@examples(2)
@given(seed=seeds)
def test_players_are_called_by_their_names_wherever_a_seat_is_meant(case: Case, seed: int) -> None:
    game, players = case.game, PLAYERS[: case.seats]
    for language in LANGUAGES:
        with unnamed(game, language):
            for made in walk(game, case.somewhere(seed), seed, 6):
                view, after = game.view(made.before, made.seat), game.view(made.step.table, SPECTATOR)
                moves = [game.decode(made.before, code) for code in some(game.legal(made.before, made.seat))[::3]]
                nobody = game.seat_names(case.seats, language)
                for called, plain in [
                    *((game.label(move, language, view, players), game.label(move, language, view)) for move in moves),
                    *(
                        (game.tell(told.event, language, players), game.tell(told.event, language, nobody))
                        for told in made.step.heard
                    ),
                    *(
                        (game.headline(seen, language, players), game.headline(seen, language))
                        for seen in (view, after)
                    ),
                    (game.prompt(view, language, players), game.prompt(view, language)),
                ]:
                    assert_called(players, called, plain)
            assert_called(
                players,
                read_texts(game.picture(view, language, "light", 0, players)),
                read_texts(game.picture(view, language, "light")),
            )


def assert_called(players: Sequence[str], called: str, plain: str) -> None:
    """Check that players are named in a text wherever seats are that have no names."""
    assert "§" not in called
    for seat, player in enumerate(players):
        assert UNNAMED.format(seat) not in plain or player in called


@contextmanager
def unnamed(game: Game, language: str) -> Iterator[None]:
    seats = game.texts.sections[language]["seats"]
    kept = dict(seats)
    seats |= {number: [UNNAMED.format(seat) for seat in range(int(number))] for number in kept}
    try:
        yield
    finally:
        seats |= kept


def read_texts(picture: str) -> str:
    return "\n".join(ET.fromstring(picture).itertext())  # noqa: S314 -- drawn by ourselves


@every_case
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_pictures_are_drawings_without_scripts_or_anything_from_outside(case: Case, theme: str) -> None:
    game = case.game
    table = case.somewhere(5)
    for viewer, language in zip(case.viewers, cycle(LANGUAGES), strict=False):  # at least three of them
        picture = game.picture(game.view(table, viewer), language, theme)
        root = ET.fromstring(picture)  # noqa: S314 -- drawn by ourselves
        assert root.tag.endswith("svg")
        names = {element.tag.rpartition("}")[2] for element in root.iter()}
        assert not names & {"script", "foreignObject", "image", "iframe"}
        if game.slug in ours():
            assert (root.get("role"), root.get("lang")) == ("img", language)
            said = game.headline(game.view(table, viewer), language)
            assert [said in (part.text or "") for part in root[:2]] == [True, True], "title and description"
        ids = [element.get("id") for element in root.iter() if element.get("id")]
        assert len(set(ids)) == len(ids)
        assert {element.get("href", "#")[1:] for element in root.iter() if element.tag.endswith("use")} <= set(ids)
        assert set(re.findall(r"url\(([^)]*)\)", picture)) <= {f"#{name}" for name in ids}
        assert "@import" not in picture
        assert not any(
            name.startswith("on") or str(value).startswith(("http", "//", "data"))
            for element in root.iter()
            for name, value in element.attrib.items()
        )


@every_game
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_facts_of_a_game_are_told(game: Game, language: str) -> None:
    texts = game.texts.sections[language]
    for sentence in texts["names"].values():
        assert_whole(sentence)
    assert set(texts["phases"]) == set(game.phases)
    assert set(texts["information"]) == set(game.hidden)
    assert set(texts["moves"]) == {str(kind.__struct_config__.tag) for kind in game.moves}
    assert set(texts["events"]) == {str(kind.__struct_config__.tag) for kind in game.events}
    for seats in game.seat_numbers:
        assert len(game.seat_names(seats, language)) == seats


@every_game
def test_sheets_for_all_to_read_are_whole_and_have_the_same_lines_in_every_language(game: Game) -> None:
    kept = []
    for language in LANGUAGES:
        sheets = game.reference(language)
        kept.append([(sheet.key, [(line.id, line.phases) for line in sheet.lines]) for sheet in sheets])
        for sheet in sheets:
            assert len({line.id for line in sheet.lines}) == len(sheet.lines)
            for sentence in (
                sheet.title,
                *(words for line in sheet.lines for words in (line.heading, line.text, *line.also)),
            ):
                assert_whole(sentence)
    assert kept[0] == kept[1] == kept[2]


@every_game
def test_sheets_name_every_phase_of_the_game_and_no_other(game: Game) -> None:
    named = [phase for sheet in game.reference("en") for line in sheet.lines for phase in line.phases]
    assert set(named) == (set(game.phases) if game.slug in ours() else set(named) & set(game.phases))


@every_case
@examples(3)
@given(seed=seeds)
def test_all_viewers_of_a_table_see_one_phase_of_the_game(case: Case, seed: int) -> None:
    game = case.game
    for made in walk(game, case.new(seed), seed, MAX_MOVES if seed % 2 else 60):
        phases = {game.phase(game.view(made.step.table, viewer)) for viewer in case.viewers}
        assert len(phases) == 1
        assert phases <= {*game.phases, None}
        if game.slug in ours():
            assert None not in phases
            assert ("over" in phases) == (not made.step.table.actors())


@every_game
@pytest.mark.parametrize("language", LANGUAGES)
def test_where_rules_and_numbers_come_from_is_told_in_the_readers_language(game: Game, language: str) -> None:
    written = {rule.source for rule in game.rules} | {at.source for at in game.provenance.values()}
    for source in written:
        assert_whole(game.source(source, language))
    sentences = {source for source in written if not RULE_ID.fullmatch(source)}
    untold = {source for source in sentences if game.source(source, language) == source}
    assert untold == (sentences if language == "en" else set())
    assert set(game.texts.sections[language].get("sources", {})) <= written


@every_game
def test_a_game_names_its_subject_duration_and_difficulty(game: Game) -> None:
    if game.slug not in ours():
        assert game.difficulty in {None, 1, 2, 3}
        return
    assert game.difficulty in {1, 2, 3}
    assert game.minutes is not None
    assert 0 < game.minutes[0] <= game.minutes[1]
    for language in LANGUAGES:
        names = game.texts.sections[language]["names"]
        assert len({names["subtitle"], names["summary"], names["goal"]}) == 3
        assert re.fullmatch(r"[^.!?]+\.", names["summary"]), "one sentence"
