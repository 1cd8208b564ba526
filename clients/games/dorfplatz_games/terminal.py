"""A match in a terminal: a person in one seat, bots in all others; the terminal shows only the person's knowledge."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import msgspec

from dorfplatz_games.errors import InvalidMoveError
from dorfplatz_games.match import Match
from games.core.game import Move

SHOWN: Final = 24
"""Maximum number of moves listed without a command."""

HINT_ITERATIONS: Final = 400

_FORMS: Final = {
    "missing": re.compile(r"Object missing required field `(?P<name>.*)`"),
    "unknown": re.compile(r"Object contains unknown field `(?P<name>.*)`"),
    "value": re.compile(r"Invalid (?:enum )?value (?P<quote>'?)(?P<name>.*)(?P=quote)"),
    "type": re.compile(r"Expected `(?P<expected>[a-z |]+)`, got `(?P<found>[a-z]+)`"),
    "bound": re.compile(r"Expected `(?:int|float)` (?P<bound>[<>]=? -?[0-9.]+)"),
}
"""Patterns of msgspec's messages about a move's form, by the key of the sentence in the person's language."""

_TOLD: Final = re.compile(r"<desc[^>]*>([^<]*)</desc>")

Ask = Callable[[str], str]
"""A function that shows a prompt and returns the typed line; it raises EOFError at the end of input."""

Show = Callable[[str], None]


class Left(Exception):
    """The person leaves the table."""


class Sentences:
    """The terminal's own sentences in a language."""

    def __init__(self, language: str) -> None:
        """Load the sentences."""
        self.language = language
        self.texts: dict[str, Any] = json.loads(
            (files("dorfplatz_games") / "texts" / f"{language}.json").read_text("utf-8")
        )

    def say(self, key: str, **params: object) -> str:
        """Return a sentence with its parameters filled in."""
        return str(self.texts[key]).format(**params)

    def form(self, error: InvalidMoveError) -> str:
        """Return a sentence about an error in the form of a move, with its place."""
        texts: dict[str, Any] = self.texts["form"]
        wrong, _, place = str(error).partition(" - at `$")
        reason: str = texts["unfit"]
        for key, pattern in _FORMS.items():
            if (found := pattern.fullmatch(wrong)) is not None:
                params = {name: self.typed(part) if key == "type" else part for name, part in found.groupdict().items()}
                reason = texts[key].format(**params)
        return str(texts["at"]).format(reason=reason, place=place.strip("`.")) if place else reason

    def typed(self, kinds: str) -> str:
        """Return JSON types, such as `int | null`, in the language."""
        texts: dict[str, Any] = self.texts["form"]
        return f" {texts['or']} ".join(texts["types"].get(kind, kind) for kind in kinds.split(" | "))

    def listed(self, items: Sequence[str]) -> str:
        """Return names with "and" before the last."""
        head = ", ".join(items[:-1])
        return f"{head} {self.texts['and']} {items[-1]}" if head else "".join(items)


class Terminal:
    """One match of a person against bots of a level."""

    def __init__(self, match: Match, seat: int, level: str, language: str, ask: Ask, show: Show) -> None:
        """Take the person's seat and the functions to read and write lines."""
        self.match = match
        self.seat = seat
        self.level = level
        self.language = language
        self.sentences = Sentences(language)
        self.names = match.game.seat_names(match.seats, language)
        self.ask = ask
        self.show = show
        self.listing: list[tuple[str, Move]] = []

    def play(self) -> None:
        """Play until the game is over or the person leaves."""
        title = self.match.game.texts.say(self.language, "names", "title")
        level = self.sentences.texts["levels"][self.level]
        self.say("welcome", title=title, name=self.names[self.seat], level=level)
        try:
            while not self.match.over:
                actors = self.match.actors
                if self.seat in actors:
                    self.person()
                else:
                    self.make(actors[0], self.match.bot_move(actors[0], self.level))
        except EOFError:
            self.show("")
            self.say("left", seed=self.match.seed)
            return
        except Left:
            self.say("left", seed=self.match.seed)
            return
        self.tell_table()
        best = max(self.match.rewards or [0.0])
        winners = [name for name, reward in zip(self.names, self.match.rewards or [], strict=True) if reward == best]
        self.say("won" if len(winners) == 1 else "shared", names=self.sentences.listed(winners))
        self.say("seed", seed=self.match.seed)

    def person(self) -> None:
        """Show the table and the moves, and read lines until one makes a move."""
        self.tell_table()
        label = self.match.label
        self.listing = [(label(self.seat, move, self.language), move) for move in self.match.legal_moves(self.seat)]
        self.say("moves")
        self.list_moves(SHOWN)
        before = len(self.match.moves)  # not every move counts as a ply
        while len(self.match.moves) == before:
            self.obey(self.ask(self.sentences.say("prompt", name=self.names[self.seat])).strip())

    def obey(self, line: str) -> None:
        """Run the command in a line."""
        command, _, rest = line.partition(" ")
        commands: dict[str, Callable[[str], None]] = {
            "h": self.help,
            "m": self.find_moves,
            "t": lambda _: self.tell_table(),
            "v": self.save_picture,
            "?": self.hint,
            "r": self.read_rule,
            "j": self.show_json,
            "q": self.leave,
        }
        if line.startswith("{"):
            self.make_written(line)
        elif re.fullmatch(r"-?[0-9]{1,9}", line):
            self.make_numbered(int(line))
        elif command.lower() in commands:
            commands[command.lower()](rest.strip())
        elif line:
            self.say("not_understood", line=line)

    def make_numbered(self, number: int) -> None:
        """Make a move of the list."""
        if not 1 <= number <= len(self.listing):
            self.say("no_number", number=number, last=len(self.listing))
            return
        self.make(self.seat, self.listing[number - 1][1])

    def make_written(self, line: str) -> None:
        """Make a move given as JSON, or explain its errors and the rule that forbids it."""
        try:
            move = self.match.read(json.loads(line))
            objection = self.match.explain(self.seat, move, self.language)
        except InvalidMoveError as error:
            self.say("invalid", reason=self.sentences.form(error))
        except ValueError as error:  # includes a number with too many digits
            self.say("no_json", column=getattr(error, "colno", 1))
        else:
            if objection is None:
                self.make(self.seat, move)
            else:
                self.say("illegal", reason=objection.reason)
                self.say("rule", rule=objection.rule, sentence=objection.sentence)

    def make(self, seat: int, move: Move) -> None:
        """Make a move and show the events that the person receives."""
        for sentence in self.match.tell(self.match.apply(seat, move), self.language, self.seat):
            self.show(f"  {sentence}")

    def list_moves(self, most: int, word: str = "") -> None:
        """List moves with their numbers."""
        found = [
            (number, label) for number, (label, _) in enumerate(self.listing, 1) if word.casefold() in label.casefold()
        ]
        for number, label in found[:most]:
            self.show(f"{number:4}  {label}")
        if not found:
            self.say("none_with", word=word)
        if len(found) > most:
            self.say("more", count=len(found) - most)

    def find_moves(self, word: str) -> None:
        """List all moves, or those with a word in them."""
        self.list_moves(len(self.listing), word)

    def tell_table(self) -> None:
        """Describe the table in the words of its picture, which also serve screen readers."""
        told = _TOLD.search(self.match.picture(self.language, self.seat))
        self.show("")
        self.show(html.unescape(told[1]) if told else self.match.headline(self.language, self.seat))

    def save_picture(self, _: str) -> None:
        """Save a picture of the person's view in the working directory."""
        path = Path(f"{self.match.game.slug}-{self.match.ply}.svg")
        path.write_text(self.match.picture(self.language, self.seat), "utf-8")
        self.say("saved", path=path)

    def hint(self, _: str) -> None:
        """Show the move that the search suggests."""
        best = self.match.search(self.seat, HINT_ITERATIONS, top=1).moves[0]
        low, high = (round(100 * bound) for bound in best.interval)
        label = self.match.label(self.seat, best.move, self.language)
        self.say("hint", label=label, value=round(100 * best.value), low=low, high=high)

    def read_rule(self, name: str) -> None:
        """Show a rule."""
        for rule in self.match.game.rules:
            if rule.id == name.upper():
                self.say("rule", rule=rule.id, sentence=self.match.game.sentence(rule, self.language))
                return
        self.say("no_rule", rule=name)

    def show_json(self, number: str) -> None:
        """Show a move of the list as JSON, to edit and type in."""
        if not number.isdecimal() or not 1 <= int(number) <= len(self.listing):
            self.say("no_number", number=number or "–", last=len(self.listing))  # noqa: RUF001 -- a dash
            return
        self.show(msgspec.json.encode(self.listing[int(number) - 1][1]).decode())

    def help(self, _: str) -> None:
        """List the commands."""
        for line in self.sentences.texts["help"]:
            self.show(line.format(example=self.match.game.rules[0].id))

    def leave(self, _: str) -> None:
        """Leave the table."""
        raise Left

    def say(self, key: str, **params: object) -> None:
        """Show one of the terminal's sentences."""
        self.show(self.sentences.say(key, **params))
