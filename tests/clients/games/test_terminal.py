"""A match in a terminal, out of the wheel: each title in each language to its end, and wrong input."""

import json
import random
import re
from pathlib import Path
from typing import Any

import pytest
from dorfplatz_games.match import Match, new
from dorfplatz_games.terminal import Sentences, Terminal

from games.core.dice import FastDice
from games.core.levels import LEVELS
from games.core.registry import registered
from games.core.texts import LANGUAGES
from tests.clients.games.conftest import Installed

SEEDS = {"hoher-rat": 11, "wichtel": 12, "gartenzwerge": 6, "barbarossa": 8}
"""Matches that random players end soon."""

"""Games of which three take more than a second."""


class Person:
    """Types lines, then picks moves of the list at random."""

    def __init__(self, *lines: str) -> None:
        self.lines = list(lines)
        self.shown: list[str] = []
        self.asked = 0
        self.dice = random.Random(5)
        self.terminal: Terminal

    def ask(self, _: str) -> str:
        self.asked += 1
        return self.lines.pop(0) if self.lines else str(self.dice.randint(1, len(self.terminal.listing)))

    def sit(self, match: Match, language: str = "en") -> Terminal:
        """Return the terminal at which the person plays in the first seat."""
        self.terminal = Terminal(match, 0, "random", language, self.ask, self.shown.append)
        return self.terminal


@pytest.mark.thorough
@pytest.mark.parametrize("slug", SEEDS)
def test_a_title_is_played_to_its_end_in_every_language_out_of_the_wheel(slug: str, installed: Installed) -> None:
    script = (
        "import io, random, sys; from dorfplatz_games.__main__ import main\n"
        "slug, seed, *languages = sys.argv[1:]\n"
        "for language in languages:\n"
        "    dice = random.Random(1)\n"
        "    sys.stdin = io.StringIO(''.join(f'{dice.randint(1, 12)}\\n' for _ in range(3_000)))\n"
        "    main(['play', slug, '--language', language, '--level', 'random', '--seed', seed])\n"
        "    print('=' * 9)\n"
    )
    # The typed numbers need not be moves; any other number is refused, and the prompt repeats.
    done = installed.run("-X", "utf8", "-c", script, slug, str(SEEDS[slug]), *LANGUAGES)
    assert done.returncode == 0, done.stderr
    *said, rest = done.stdout.split("=" * 9 + "\n")
    assert rest == ""
    for language, told in zip(LANGUAGES, said, strict=True):
        sentences = Sentences(language)
        *_, winner, last = told.splitlines()
        assert last == sentences.say("seed", seed=SEEDS[slug])
        ends = [re.escape(sentences.texts[key]).replace(r"\{names\}", ".+") for key in ("won", "shared")]
        assert re.fullmatch("|".join(ends), winner), winner
        assert told.startswith(registered()[slug].texts.say(language, "names", "title"))


@pytest.mark.thorough
def test_a_person_who_leaves_ends_the_program_without_a_failure(installed: Installed) -> None:
    for typed in ("q\n", ""):
        done = installed.run("-X", "utf8", "-m", "dorfplatz_games", "play", "wichtel", "--seed", "x", typed=typed)
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.endswith("Left before the end. The seed was x.\n")


def test_wrong_input_gets_reason_and_rule() -> None:
    person = Person(
        "0", "99", "dance", "{", '{"kind": "dance"}', '{"kind": "ponder", "extra": 1}', "r HR-12", "r x", "q"
    )
    match = new("hoher-rat", seed=5)
    illegal = {"kind": "place_follower", "card": 1, "field": 1, "colour": "red"}
    person.lines.insert(5, json.dumps(illegal))
    person.sit(match).play()
    text = "\n".join(person.shown)
    assert text.count("the numbers go from 1 to") == 2
    assert "“dance” is neither a number of the list nor a command" in text
    assert "That is no JSON" in text
    assert "That is no move of this game: “dance” is no possible value (at kind)" in text
    assert "Rule HR-12: " in text
    assert "No rule is called x." in text
    assert text.endswith("Left before the end. The seed was 5.")
    assert match.moves == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_wrong_form_is_told_in_the_language_and_in_no_other(language: str) -> None:
    right = {"kind": "convince", "source": 1, "target": 2, "argument": "white", "colour": "white"}
    wrong: list[tuple[str, Any, dict[str, str]]] = [
        ("value", {"kind": "dance"}, {"name": "dance"}),
        ("missing", {"kind": "convince"}, {"name": "source"}),
        ("unknown", {**right, "extra": 1}, {"name": "extra"}),
        ("bound", {**right, "source": 99}, {"bound": "<= 30"}),
    ]
    person = Person(*(json.dumps(move) for _, move, _ in wrong), '{"kind": 3}', '{"kind"', "q")
    person.sit(new("hoher-rat", seed=5), language).play()
    sentences = Sentences(language)
    told = "\n".join(person.shown)
    for key, _, params in wrong:
        assert sentences.texts["form"][key].format(**params) in told
    types = sentences.texts["form"]["types"]
    assert sentences.texts["form"]["type"].format(expected=types["str"], found=types["int"]) in told
    assert sentences.say("no_json", column=8) in told
    assert "`" not in told


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_illegal_move_is_refused_with_its_rule_in_the_language(language: str) -> None:
    person = Person('{"kind": "roll_die"}', "q")
    person.sit(new("barbarossa", seed=5), language).play()
    at = next(place for place, line in enumerate(person.shown) if "BR-11" in line)
    assert person.shown[at].startswith(Sentences(language).say("rule", rule="BR-11", sentence=""))
    assert person.shown[at - 1].startswith(Sentences(language).say("illegal", reason="")[:-1])


def test_a_person_may_look_and_ask_before_a_move(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    person = Person("h", "t", "v", "?", "m march", "m xyzzy", "j 1", "j", "")
    match = new("wichtel", seed=3)
    terminal = person.sit(match)
    terminal.person()
    assert len(match.moves) == 1
    text = "\n".join(person.shown)
    assert (tmp_path / "wichtel-0.svg").read_text("utf-8").startswith("<svg")
    assert "worth " in text
    assert "None of your moves has “xyzzy” in it." in text
    assert any(line.startswith('{"kind":') for line in person.shown)
    assert "r HW-1" in text


def test_a_person_is_told_the_same_of_tables_that_differ_in_what_is_hidden() -> None:
    one, other = new("hoher-rat", seed=5), new("hoher-rat", seed=5)
    hidden = one.table.clone()
    hidden.redeal(0, FastDice(9))
    other.table = hidden
    assert one.game.write(one.table) != one.game.write(other.table)
    said = []
    for match in (one, other):
        person = Person("t", "m", "?", "q")
        person.sit(match).play()
        said.append(person.shown)
    assert said[0] == said[1]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_level_has_a_name_in_the_language(language: str) -> None:
    for level in LEVELS:
        shown: list[str] = []
        terminal = Terminal(new("hoher-rat", seats=2), 0, level, language, lambda _: "q", shown.append)
        terminal.play()
        assert shown[0].count(Sentences(language).texts["levels"][level]) == 1
        assert language == "en" or level not in re.split(r"\W", shown[0])


def test_the_terminals_sentences_are_the_same_in_every_language() -> None:
    texts = {language: Sentences(language).texts for language in LANGUAGES}
    assert len({tuple(found) for found in texts.values()}) == 1
    assert len({(*found["form"], *found["form"]["types"]) for found in texts.values()}) == 1
    assert len({len(found["help"]) for found in texts.values()}) == 1
