"""Checks of a game when it is loaded, so that a faulty package leaves all other games usable.

The conformance suite checks the rules themselves.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from importlib.resources import files
from itertools import chain
from typing import Any, Final

import msgspec

from games.core.contract import GameContract
from games.core.dice import CHOICE, FastDice
from games.core.game import Event, Game, Heard, Move, Options, Record, View
from games.core.table import SPECTATOR, SPECTATORS
from games.core.texts import LANGUAGES

MAX_SEATS: Final = SPECTATORS.bit_length() - 1
"""The most seats of a table: spectators stand above them in the set of an event's hearers, which sessions store."""

CODES_END: Final = 2**53
"""Every move code is below: the first integer that some readers of JSON cannot tell from the next."""

RESERVED_KINDS: Final = frozenset(
    {
        "absence_voted",
        "code",
        "decision_kept",
        "decision_undone",
        "pause_asked",
        "pause_begun",
        "pause_consented",
        "pause_ended",
        "pause_refused",
        "rematch",
        "seat_absent",
        "seat_assigned",
        "seat_assigned_to_bot",
        "seat_claimed",
        "seat_left",
        "seat_opened",
        "seat_resigned",
        "seat_taken_back",
        "seat_taken_over",
        "seat_timed_out",
        "seat_token_issued",
        "session_aborted",
        "session_broken",
        "session_set_up",
        "session_started",
        "time_ran_out",
        "undo_asked",
        "undo_consented",
        "undo_refused",
        "vacation_begun",
        "vacation_ended",
    }
)
"""Kinds of the service's own: a move by its code, and the events of a session besides moves."""

TRIED_MOVES: Final = 40
"""Number of random moves that are tried at a table of each number of seats."""

_SLUG: Final = re.compile(r"[a-z][a-z0-9]*(-[a-z][a-z0-9]*)*")
_SLUG_LENGTH: Final = 40


class UnfitGameError(ValueError):
    """A game that does not fit, with the reason for its author."""


def prefix(slug: str) -> str:
    """Return the prefix of the names of a game's components in the contract."""
    return "".join(word.capitalize() for word in slug.split("-"))


def admit(game: object, others: Mapping[str, Game]) -> None:
    """Raise UnfitGameError if an object is no complete game, or conflicts with the slug or kinds of another.

    Errors of its own functions propagate.
    """
    if not isinstance(game, Game):
        raise UnfitGameError(f"it names {type(game).__name__!r}, and not an instance of games.core.game.Game")
    for reason in chain(_gaps(game), _misnomers(game, others), _misfits(game), _clashes(game, others)):
        raise UnfitGameError(reason)
    msgspec.json.schema_components(_types(game))
    for seats in game.seat_numbers:
        _try(game, seats)


def _types(game: Game) -> list[Any]:
    return [*game.moves, *game.events, game.view_type, game.options_type]


def _gaps(game: Game) -> Iterator[str]:
    for name in GameContract.__annotations__:
        if not hasattr(game, name):
            yield f"it has no `{name}`"
            return
    package = type(game).__module__.rpartition(".")[0]
    if not package or not (files(package) / "RULES.md").is_file():
        yield f"its class lies in {type(game).__module__}, beside which there is no RULES.md"
    for name in ("rules", "authors", "moves", "events", "presets"):
        if not getattr(game, name):
            yield f"its `{name}` are empty"
    yield from (f"it has no evaluation {name!r}" for name in ("greedy", "tuned") if name not in game.worths)
    for language in LANGUAGES:
        if not {"title", "subtitle"} <= game.texts.sections[language].get("names", {}).keys():
            yield f"texts/{language}.json has no title and subtitle among its names"


def _misnomers(game: Game, others: Mapping[str, Game]) -> Iterator[str]:
    if not _SLUG.fullmatch(game.slug) or len(game.slug) > _SLUG_LENGTH:
        yield f"its slug {game.slug!r} is not of small letters and digits, words with hyphens between"
    if not re.fullmatch(rf"{re.escape(game.slug)}/\d+", game.ruleset):
        yield f"its ruleset {game.ruleset!r} is not {game.slug}/ and a number"
    for slug in others:
        if slug == game.slug:
            yield f"another game is called {slug}"
        elif prefix(slug).startswith(prefix(game.slug)) or prefix(game.slug).startswith(prefix(slug)):
            yield f"its slug begins like {slug}, so in the contract their types could not be told apart"


def _misfits(game: Game) -> Iterator[str]:
    if game.difficulty not in {None, 1, 2, 3}:
        yield f"its difficulty {game.difficulty} is not 1, 2 or 3"
    unfit = [seats for seats in game.seat_numbers if not 2 <= seats <= MAX_SEATS]
    if unfit or not game.seat_numbers:
        yield f"it is played by {list(game.seat_numbers)}, and a table has 2 to {MAX_SEATS} seats"
    if not 0 < game.code_limit <= CODES_END:
        yield f"its code_limit {game.code_limit} is not within 1 and 2^53"
    bases: tuple[tuple[type[msgspec.Struct], tuple[type[msgspec.Struct], ...]], ...] = (
        (Move, game.moves),
        (Event, game.events),
        (View, (game.view_type,)),
        (Record, (game.record_type,)),
        (Options, (game.options_type,)),
    )
    for base, kinds in bases:
        for kind in kinds:
            if not issubclass(kind, base):
                yield f"{kind.__name__} is no {base.__name__}"
            elif not (kind.__struct_config__.frozen and kind.__struct_config__.forbid_unknown_fields):
                yield f"{kind.__name__} is not frozen, or takes unknown fields"
    if game.view_type.__struct_config__.tag != game.slug:
        yield f"the tag of {game.view_type.__name__} is not {game.slug}"
    for name, options in game.presets.items():
        if type(options) is not game.options_type:
            yield f"its preset {name!r} is no {game.options_type.__name__}"


def _clashes(game: Game, others: Mapping[str, Game]) -> Iterator[str]:
    taken = dict.fromkeys(RESERVED_KINDS, "the service")
    for other in others.values():
        taken |= dict.fromkeys((str(kind.__struct_config__.tag) for kind in (*other.moves, *other.events)), other.slug)
    for kind in (*game.moves, *game.events):
        tag = str(kind.__struct_config__.tag)
        if tag in taken:
            yield f"its kind {tag!r} belongs to {taken[tag]}; a kind of its own begins best with the game's name"
        taken[tag] = "another of its own types"


def _try(game: Game, seats: int) -> None:
    dice = FastDice(seats)
    table = game.new(seats, next(iter(game.presets.values())), dice)
    _tell(game, seats, game.opening(table))
    for _ in range(TRIED_MOVES):
        for viewer in (*range(seats), SPECTATOR):
            view = game.view(table, viewer)
            game.from_view(msgspec.json.decode(msgspec.json.encode(view), type=game.view_type), dice)
            for language in LANGUAGES:
                game.headline(view, language)
        actors = game.actors(table)
        if not actors:
            break
        seat = actors[dice.below(len(actors), CHOICE)]
        codes = game.legal(table, seat)
        if not codes or not all(0 <= code < game.code_limit for code in codes):
            raise UnfitGameError(f"seat {seat} of {seats} is to move, and its legal codes are {codes[:9]}")
        code = codes[dice.below(len(codes), CHOICE)]
        game.label(game.decode(table, code), LANGUAGES[0], game.view(table, seat))
        step = game.step(table, seat, code, dice)
        _tell(game, seats, step.heard)
        table = step.table
    _tell(game, seats, game.opening(table))
    record = msgspec.json.decode(msgspec.json.encode(game.write(table)), type=game.record_type)
    if game.write(game.read(record)) != record:
        raise UnfitGameError(f"a table of {seats} seats, written down and read back, is another")
    if "<svg" not in game.picture(game.view(table, SPECTATOR), LANGUAGES[0], "light"):
        raise UnfitGameError("its picture is no SVG")


def _tell(game: Game, seats: int, told: list[Heard]) -> None:
    for heard in told:
        if type(heard.event) not in game.events:
            raise UnfitGameError(f"it tells a {type(heard.event).__name__}, which is not among its `events`")
        game.tell(heard.event, LANGUAGES[0], game.seat_names(seats, LANGUAGES[0]))
