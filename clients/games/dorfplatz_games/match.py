"""A game in this process: set up, view, play, search, record and replay it."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Any

import msgspec

from dorfplatz_games.errors import IllegalMoveError, InvalidMoveError, InvalidRecordError, UnknownGameError
from dorfplatz_games.search import Advice, Rated
from games.core.game import Game, Heard, Move, Options, Refusal, Step, View
from games.core.levels import LEVELS
from games.core.registry import registered
from games.core.seeds import move_dice, set_up_dice
from games.core.table import SPECTATOR, Table
from games.search.advise import Budget, choose, seed_of
from games.search.analysis import analyse


@dataclass(frozen=True, slots=True)
class Objection:
    """The reason against a move: the rule's id and sentence, an explanation, and a JSON pointer into the move."""

    rule: str
    sentence: str
    reason: str
    pointer: str


class _Made(msgspec.Struct, forbid_unknown_fields=True):
    """A move in a JSON record."""

    seat: int
    move: dict[str, Any]


class _Record(msgspec.Struct, forbid_unknown_fields=True):
    """A match as JSON."""

    game: str
    ruleset: str
    seats: int
    seed: str
    options: dict[str, Any]
    moves: list[_Made]


class Match:
    """One match of a game, with its moves so far.

    Seats are numbers from 0. A move is given as a struct of the game, as its JSON, or as its code. Only `table`,
    `seed`, `moves` and `record()` reveal hidden information; every other method with a seat returns only that seat's
    knowledge.
    """

    def __init__(self, game: Game, seats: int, options: Options, seed: str) -> None:
        """Set up a table whose chance follows from the seed; use `new` instead."""
        self.game = game
        self.options = options
        self.seed = seed
        self.table: Table = game.new(seats, options, set_up_dice(seed))
        self.moves: list[tuple[int, Move]] = []

    def __getstate__(self) -> dict[str, Any]:
        """Return the state of a copy, with the compiled table in its serialised form."""
        written = msgspec.json.encode(self.game.write(self.table))
        kept = {"options": self.options, "seed": self.seed, "moves": list(self.moves)}
        return {**kept, "game": self.game.slug, "table": written}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore the state of a copy."""
        self.game = registered()[state["game"]]
        self.options, self.seed, self.moves = state["options"], state["seed"], state["moves"]
        self.table = self.game.read(msgspec.json.decode(state["table"], type=self.game.record_type))

    @property
    def seats(self) -> int:
        """Return the number of seats."""
        return int(self.table.seats)

    @property
    def ply(self) -> int:
        """Return the number of moves so far."""
        return int(self.table.ply)

    @property
    def actors(self) -> list[int]:
        """Return the seats that may move now; several if they decide at the same time, none after the end."""
        return self.game.actors(self.table)

    @property
    def over(self) -> bool:
        """Return whether the game is over."""
        return not self.actors

    @property
    def rewards(self) -> list[float] | None:
        """Return each seat's reward, a total of 1 shared by the winners, or None before the end."""
        return self.game.outcome(self.table)

    def view(self, seat: int = SPECTATOR) -> View:
        """Return the knowledge of a seat, or of a spectator."""
        return self.game.view(self.table, self._seat(seat))

    def headline(self, language: str, seat: int = SPECTATOR) -> str:
        """Return a sentence that names the deciding seats, or the outcome of the game."""
        return self.game.headline(self.view(seat), language)

    def picture(self, language: str, seat: int = SPECTATOR, theme: str = "light") -> str:
        """Draw the knowledge of a seat, or of a spectator, as SVG; `theme` is light or dark."""
        return self.game.picture(self.view(seat), language, theme)

    def legal_moves(self, seat: int) -> list[Move]:
        """Return the legal moves of a seat; only examples of moves with words of the player's own."""
        return [self.game.decode(self.table, code) for code in self.game.listing(self.table, self._player(seat))]

    def legal_codes(self, seat: int) -> list[int]:
        """Return the codes of all legal moves of a seat."""
        return self.game.legal(self.table, self._player(seat))

    def label(self, seat: int, move: Move, language: str) -> str:
        """Return a sentence that describes a seat's move."""
        return self.game.label(move, language, self.view(self._player(seat)))

    def explain(self, seat: int, move: Move | Mapping[str, Any] | int, language: str = "en") -> Objection | None:
        """Return the objection to an illegal move, None for a legal one; raise InvalidMoveError for no move."""
        return self._judge(self._player(seat), self.read(move), language)[2]

    def apply(self, seat: int, move: Move | Mapping[str, Any] | int, language: str = "en") -> Step:
        """Make a move, and return its events with their recipients and its draws.

        Raise IllegalMoveError with the rule in the language, or InvalidMoveError; both change nothing.
        """
        read = self.read(move)
        table, code, objection = self._judge(self._player(seat), read, language)
        if objection is not None:
            raise IllegalMoveError(objection.rule, objection.sentence, objection.reason, objection.pointer)
        step = self.game.step(table, seat, code, move_dice(self.seed, self.ply))
        self.table = step.table
        self.moves.append((seat, read))
        return step

    def tell(self, step: Step, language: str, seat: int = SPECTATOR) -> list[str]:
        """Return sentences for the events of a step that a seat, or a spectator, has received."""
        return self._say(step.heard, language, seat)

    def tell_opening(self, language: str, seat: int = SPECTATOR) -> list[str]:
        """Return sentences for the present table as a seat, or a spectator, knows it; at a new one, for its set-up."""
        return self._say(self.game.opening(self.table), language, seat)

    def _say(self, told: list[Heard], language: str, seat: int) -> list[str]:
        names = self.game.seat_names(self.seats, language)
        return [self.game.tell(heard.event, language, names) for heard in told if heard.by(self._seat(seat))]

    def search(
        self,
        seat: int,
        iterations: int = 1_000,
        *,
        milliseconds: int = 0,
        half_width: float = 0.0,
        seed: int = 0,
        top: int | None = None,
    ) -> Advice:
        """Return the values of a seat's moves, best first, from that seat's knowledge.

        The search stops at the first bound that is reached; 0 means no bound. The bounds are iterations, milliseconds,
        and the half-width of the first move's interval. Equal seeds and iterations give equal advice.
        """
        view = self._decision(seat)
        if not (iterations or milliseconds) or min(iterations, milliseconds) < 0:
            raise ValueError("a search needs iterations or milliseconds")
        found = analyse(self.game, view, Budget(iterations, milliseconds, half_width), seed, top=top)
        rows = [
            Rated(
                row["code"],
                self.game.decode(self.table, row["code"]),
                row["visits"],
                row["value"],
                (row["interval"][0], row["interval"][1]),
                row["share"],
            )
            for row in found["moves"]
        ]
        return Advice(found["iterations"], found["worlds"], rows)

    def bot_move(self, seat: int, level: str = "medium", seed: int | None = None) -> Move:
        """Return the move of a bot of a level in a seat, chosen from that seat's knowledge.

        Without a seed it follows from the seed of the match.
        """
        if level not in LEVELS:
            raise ValueError(f"no level is called {level!r}; there are {', '.join(LEVELS)}")
        dice = seed_of(self.seed, "bot", seat, self.ply) if seed is None else seed
        return self.game.decode(self.table, choose(self.game, self._decision(seat), level, dice))

    def record(self) -> dict[str, Any]:
        """Return the whole match as JSON for `replay`; it contains all secrets."""
        moves = [{"seat": seat, "move": msgspec.to_builtins(move)} for seat, move in self.moves]
        return {
            "game": self.game.slug,
            "ruleset": self.game.ruleset,
            "seats": self.seats,
            "seed": self.seed,
            "options": msgspec.to_builtins(self.options),
            "moves": moves,
        }

    def read(self, move: Move | Mapping[str, Any] | int) -> Move:
        """Return a move of this game from its struct, JSON or code; raise InvalidMoveError for anything else."""
        if isinstance(move, self.game.moves):
            return move
        try:
            if isinstance(move, int) and not isinstance(move, bool):
                return self._decoded(move)
            if isinstance(move, Mapping):
                read: Move = msgspec.convert(dict(move), reduce(or_, self.game.moves))
                return read
        except ValueError as error:  # includes msgspec's own errors
            raise InvalidMoveError(str(error)) from None
        raise InvalidMoveError(f"{move!r} is no move of {self.game.slug}")

    def _decoded(self, code: int) -> Move:
        if not 0 <= code < self.game.code_limit:
            raise ValueError(f"no move has the code {code}")
        return self.game.decode(self.table, code)

    def _judge(self, seat: int, move: Move, language: str) -> tuple[Table, int, Objection | None]:
        table = self.table.clone()
        try:
            code = self.game.encode(table, seat, move)
        except ValueError as error:
            raise InvalidMoveError(str(error)) from None
        refusal = self.game.refuse(table, seat, move)
        return table, code, None if refusal is None else self._told(refusal, language)

    def _told(self, refusal: Refusal, language: str) -> Objection:
        rule = next(rule for rule in self.game.rules if rule.id == refusal.rule)
        names = self.game.seat_names(self.seats, language)
        reason = self.game.explain(refusal.rule, refusal.reason, refusal.params, language, names)
        return Objection(refusal.rule, self.game.sentence(rule, language), reason, refusal.pointer)

    def _decision(self, seat: int) -> View:
        if self._player(seat) not in self.actors:
            raise ValueError(f"seat {seat} has nothing to decide")
        return self.view(seat)

    def _player(self, seat: int) -> int:
        if not 0 <= seat < self.seats:
            raise ValueError(f"there is no seat {seat}; there are 0 to {self.seats - 1}")
        return seat

    def _seat(self, seat: int) -> int:
        return seat if seat == SPECTATOR else self._player(seat)


def games() -> dict[str, Game]:
    """Return all games by their slugs, such as `hoher-rat`."""
    return dict(registered())


def game(slug: str) -> Game:
    """Return a game; raise UnknownGameError for an unknown slug."""
    found = registered()
    if slug not in found:
        raise UnknownGameError(f"no game is called {slug!r}; there are {', '.join(found)}")
    return found[slug]


def new(
    slug: str,
    *,
    seats: int | None = None,
    seed: int | str | None = None,
    options: Options | Mapping[str, Any] | str | None = None,
) -> Match:
    """Start a match; without `seats` at the smallest table, without a seed with a random one.

    Options are the game's struct, its JSON, or the name of a preset. Equal arguments deal equal tables. A string is the
    seed of an open snapshot of the service, and deals the same table as there. Raise UnknownGameError or ValueError.
    """
    found = game(slug)
    number = found.seat_numbers[0] if seats is None else seats
    if number not in found.seat_numbers:
        raise ValueError(f"{slug} is played by {', '.join(map(str, found.seat_numbers))}, not by {number}")
    text = secrets.token_hex(16) if seed is None else str(seed)
    return Match(found, number, _options(found, options), text)


def replay(record: Mapping[str, Any], moves: int | None = None) -> Match:
    """Replay a `Match.record`, or its first moves; raise InvalidRecordError if it cannot be replayed."""
    try:
        read = msgspec.convert(dict(record), _Record)
        match = new(read.game, seats=read.seats, seed=read.seed, options=read.options)
    except ValueError as error:
        raise InvalidRecordError(str(error)) from error
    if read.ruleset != match.game.ruleset:
        raise InvalidRecordError(f"it was played by ruleset {read.ruleset}, and this is {match.game.ruleset}")
    for number, made in enumerate(read.moves[:moves], 1):
        try:
            match.apply(made.seat, made.move)
        except ValueError as error:
            raise InvalidRecordError(f"move {number}: {error}") from error
    return match


def _options(found: Game, given: Options | Mapping[str, Any] | str | None) -> Options:
    if isinstance(given, found.options_type):
        return given
    if isinstance(given, str):
        if given not in found.presets:
            raise ValueError(f"{found.slug} has no preset {given!r}; there are {', '.join(found.presets)}")
        return found.presets[given]
    if isinstance(given, Options):
        raise ValueError(f"{type(given).__name__} are the options of another game")  # noqa: TRY004 -- a wrong value
    options: Options = msgspec.convert(dict(given or {}), found.options_type)
    return options
