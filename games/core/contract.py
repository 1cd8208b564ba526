"""The contract of a game: everything that the package of a game declares or may override."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Generic

import msgspec
from msgspec import UNSET, UnsetType
from typing_extensions import TypeVar

from games.core.advice import Advisor, Hypothesis
from games.core.dice import Dice
from games.core.evolution import Migration
from games.core.nets import NetFile
from games.core.payloads import (
    Event,
    Heard,
    Move,
    Options,
    Provenance,
    Record,
    Refusal,
    View,
)
from games.core.reasons import Group
from games.core.reference import Sheet
from games.core.rules import Rule, read_rules
from games.core.svg import HEADLINE
from games.core.table import Table, Worth
from games.core.texts import Texts
from games.core.weights import Weights

TableT = TypeVar("TableT", bound=Table, default=Any)
ViewT = TypeVar("ViewT", bound=View, default=Any)
RecordT = TypeVar("RecordT", bound=Record, default=Any)
OptionsT = TypeVar("OptionsT", bound=Options, default=Any)


class GameContract(ABC, Generic[TableT, ViewT, RecordT, OptionsT]):
    """Facts, types and functions that a game declares.

    A function that needs nothing of the game itself is held as it is: `write = staticmethod(record.write)`.
    """

    slug: ClassVar[str]
    ruleset: ClassVar[str]  # bumped when behaviour changes, not for a refactoring; move codes are part of it
    authors: ClassVar[tuple[str, ...]]
    year: ClassVar[int]
    minutes: ClassVar[tuple[int, int] | None] = None  # how long a game of people lasts, least and most
    difficulty: ClassVar[int | None] = None  # how hard the rules are to learn, from 1 to 3
    seat_numbers: ClassVar[tuple[int, ...]]
    phases: ClassVar[tuple[str, ...]]
    touched: ClassVar[tuple[str, ...]] = (HEADLINE,)  # roles of the things in pictures that moves touch
    round_events: ClassVar[tuple[str, ...]] = ()  # the kinds of events that mark the end of a round
    purposes: ClassVar[tuple[str, ...]]  # names of the draws; the index is the dice's `what`
    scored: ClassVar[str | None] = None  # what `points` counts, as a key of texts "points"; None if nothing is
    hidden: ClassVar[tuple[str, ...]]  # hidden information with its observers, as keys of texts "information"
    moves: ClassVar[tuple[type[Move], ...]]
    varying: ClassVar[
        Mapping[type[Move], str]
    ] = {}  # fields for forms, of kinds with several; moves differ in it alone
    amounts: ClassVar[frozenset[str]] = frozenset()  # fields that count something: forms have a range of numbers
    sheets: ClassVar[Mapping[str, str]] = {}  # by field: the reference sheet with its values as ids
    code_limit: ClassVar[int]  # every move code is below it
    open_moves: ClassVar[tuple[type[Move], ...]] = ()  # kinds with content of the player's own; `legal` lists examples
    events: ClassVar[tuple[type[Event], ...]]
    view_type: ClassVar[type[View]]
    record_type: ClassVar[type[Record]]
    record_bytes: ClassVar[int] = 65_536  # the most that a record takes in a sealed snapshot, own content not counted
    options_type: ClassVar[type[Options]]
    presets: ClassVar[dict[str, Options]]
    simulated: ClassVar[Mapping[str, Any]] = {}  # options of simulations where nothing else is said
    provenance: ClassVar[dict[str, Provenance]]
    worths: ClassVar[dict[str, Worth]]  # at least "greedy" and "tuned", and "learned" where a net corrects that
    migrations: ClassVar[tuple[Migration, ...]] = ()  # each from one ruleset of the past to the next
    handicaps: ClassVar[Mapping[str, tuple[int, float]]] = {}  # iterations and temperature of levels, if their own
    handicaps_at: ClassVar[Mapping[int, Mapping[str, tuple[int, float]]]] = {}  # by number of seats, in place of those
    advised: ClassVar[frozenset[str]] = frozenset()  # levels of bots that the game's own adviser plays
    modelled: ClassVar[frozenset[str]] = frozenset()  # levels whose search takes the others to look one ply ahead
    weights: ClassVar[Weights | None] = None  # what `worths` are made of, where the evaluation can be tuned
    net: ClassVar[NetFile | None] = None  # what corrects the evaluation "learned"
    groups: ClassVar[tuple[Group, ...]] = ()  # the terms of the evaluations that reasons name, as keys of texts "gains"
    pace_ms: ClassVar[int] = 0  # how long a bot lets pass before it moves where people play who may interrupt it
    standing: ClassVar[tuple[str, ...]] = ()  # answers a seat may leave to be given for it, as keys of texts "standing"
    texts: Texts
    rules: tuple[Rule, ...]

    def __init__(self) -> None:
        """Read the texts and the rules that lie beside the game's module."""
        package = type(self).__module__.rpartition(".")[0]
        self.texts = Texts(package)
        self.rules = read_rules(package)

    # A table begins, is written down and read back.

    @abstractmethod
    def new(self, seats: int, options: OptionsT, dice: Dice, /) -> Table:
        """Set a table up for one of `seat_numbers`."""

    @abstractmethod
    def write(self, table: TableT, /) -> Record:
        """Write a table down in full."""

    @abstractmethod
    def read(self, record: RecordT, /) -> Table:
        """Read a table back; raise BrokenRecordError if an invariant does not hold."""

    @abstractmethod
    def options(self, table: TableT, /) -> Options:
        """Return the options a table is played with."""

    # Moves have two faces.

    @abstractmethod
    def encode(self, table: TableT, seat: int, move: Move, /) -> int:
        """Return the code of a well-formed move; a move that has none at any table raises ValueError.

        Content of the mover's own, which no code can hold, is laid beside the table for the code (`lay`).
        """

    @abstractmethod
    def decode(self, table: TableT, code: int, /) -> Move:
        """Return the move of a code; raise ValueError for a number that is no move's code."""

    def objection(self, table: TableT, seat: int, move: Move, /) -> Refusal | None:
        """Return the rule that an illegal move breaks; it is called for no other."""
        return None

    def content(self, table: TableT, /) -> str | UnsetType:
        """Return a mover's own content that lies beside a table for the move at hand, which takes it away."""
        return UNSET

    def brings_content(self, move: Move) -> bool:
        """Return whether a move has content of the mover's own, for which a sealed table must have room."""
        return isinstance(move, self.open_moves)

    def lay(self, table: TableT, content: str | UnsetType, /) -> None:
        """Lay content beside a table, so that the code it belongs to can be read and made there."""
        if content is not UNSET:
            raise ValueError("no move of this game has content of its own")

    def timeout_move(self, table: TableT, seat: int, /) -> int | None:
        """Return the move that a rule makes for a seat that does not answer in time, or None if none does."""
        return None

    def gives_way(self, table: TableT, seat: int, code: int, /) -> bool:
        """Return whether a legal move waits for the answers of all others who decide at the same time.

        By default the order of moves of the same moment is drawn by lot.
        """
        return False

    def stands(self, name: str, /) -> bool:
        """Return whether a seat may leave a standing answer of this name: one of `standing`, or a name of a move."""
        return name in self.standing

    def answer(self, table: TableT, seat: int, name: str, /) -> int | None:
        """Return the legal move that a standing answer of this name makes now, or None if it is silent.

        Knows no more than the seat does.
        """
        return None

    def points(self, table: TableT, /) -> list[int] | None:
        """Return the score of each seat so far, by which the game ranks; None if it counts no points.

        It is published for games that are over.
        """
        return None

    # Knowledge.

    @abstractmethod
    def view(self, table: TableT, seat: int, /) -> View:
        """Return the view of a seat, or SPECTATOR."""

    def views(self, table: TableT, seats: Sequence[int], /) -> Sequence[View]:
        """Return the view of each of some seats, as `view` does; common parts may be made once."""
        return [self.view(table, seat) for seat in seats]

    def phase(self, view: ViewT, /) -> str | None:
        """Return the phase that a view shows, one of `phases`; None for a game that has no name for it."""
        return None

    @abstractmethod
    def from_view(self, view: ViewT, dice: Dice, /) -> Table:
        """Return a table as the view's owner may imagine it, every fit as likely as a fair shuffle makes it.

        Raise BrokenRecordError for a view that no table has.
        """

    @abstractmethod
    def event(self, table: TableT, kind: int, a: int, b: int, c: int, /) -> Event:
        """Return the event of a journal's note."""

    def opening(self, table: TableT, /) -> list[Heard]:
        """Return the events with which a log begins at a table, each with its hearers.

        At a table that was just set up (`ply` is 0) they report the set-up as a move would have: the starting player,
        the cards dealt, everything that changed hands. At any other table they report how it stands: the round, and
        the seat on turn. Games without events of this kind return none.
        """
        return []

    @abstractmethod
    def name_outcome(self, what: int, value: int, /) -> int | str:
        """Return the name of a draw's result (a card's number, a die's face)."""

    @abstractmethod
    def read_outcome(self, what: int, name: int | str, /) -> int:
        """Return the value behind a name; raise ValueError if it cannot be drawn."""

    # Texts and pictures. A game says and draws with the texts it is given; they or `names` know what seats are called.

    @abstractmethod
    def say_headline(self, view: ViewT, language: str, texts: Texts, /) -> str:
        """Return a sentence that names the seats to decide, or the result of the game."""

    def say_prompt(self, view: ViewT, language: str, texts: Texts, /) -> str:
        """Return an imperative for the seat that has to decide."""
        return self.say_headline(view, language, texts)

    def say_move(self, move: Move, language: str, view: ViewT, names: Sequence[str], texts: Texts, /) -> str:
        """Return a sentence for a move; `view` is the view of its seat before the move."""
        return texts.tell(language, "moves", move, names)

    def say_control(
        self, key: str, move: Move, language: str, view: ViewT, names: Sequence[str], texts: Texts, /
    ) -> str:
        """Return the text of a group of moves, by a key of texts "controls"; `move` is one of them.

        Keys are kinds, or for a kind with several fields `kind:field` with the field in which the moves differ.
        """
        return texts.say(language, "controls", key, names, **msgspec.structs.asdict(move))

    def usual_amount(self, move: Move, view: ViewT, /) -> int:
        """Return the number with which a form for moves like this one begins; the nearest legal one is taken."""
        return 0

    def say_event(self, event: Event, language: str, names: Sequence[str], texts: Texts, /) -> str:
        """Return a sentence for an event."""
        return texts.tell(language, "events", event, names)

    def refs(self, move: Move, view: ViewT, /) -> list[str]:
        """Return the things that a move touches in the picture of a view, in the order of touching.

        Each is the `data-ref` of an element, such as `field/12`. A move that touches nothing else touches the headline.
        """
        return [HEADLINE]

    @abstractmethod
    def draw(self, view: ViewT, language: str, theme: str, texts: Texts, angle: int = 0, /) -> str:
        """Draw a view as SVG; `theme` is light or dark.

        The picture shows the table from a place `angle` degrees further to the right; flat things look the same.
        """

    def draft(self, move: Move, language: str, theme: str, angle: int = 0) -> str | Refusal | None:
        """Draw the content of a move as SVG before the move is made; or return why it may not be made.

        It needs no table and shows nothing of one. None for a move that has no picture.
        """
        return None

    def reference(self, language: str, /) -> list[Sheet]:
        """Return the public material beside the table and the rules: overviews and lists."""
        return []

    def advisor(self, view: ViewT, seed: int, level: str | None = None) -> Advisor | None:
        """Return the game's own adviser for the seat of a view, or None if the general search is as good.

        It advises as a bot of the level would play, without one as well as it can.
        """
        return None

    def hypotheses(self, view: ViewT, /) -> list[Hypothesis]:
        """Return possible values of hidden things for the seat of a view, the likeliest first; none in most games."""
        return []

    def units(self, table: TableT, worth: Worth, /) -> Sequence[float | None]:
        """Return the quantity per unit of each term of a party, None for terms that are no quantities.

        A game whose `groups` have amounts has it; `table` is the root of the search.
        """
        return []

    def fact(self, table: TableT, number: int, move: int, /) -> tuple[str, dict[str, Any]]:
        """Return a hidden fact (`Table.facts`) as a key of texts "facts" with its parameters; `move` is the first."""
        raise NotImplementedError

    def say_fact(self, code: str, params: dict[str, Any], language: str, names: Sequence[str], texts: Texts, /) -> str:
        """Return a hidden fact as a clause that follows "if"."""
        return texts.say(language, "facts", code, names, **params)

    def weighed(self, weights: Mapping[str, float], /) -> Worth:
        """Return the evaluation with these weights; a game with `weights` has it."""
        raise NotImplementedError

    def corrected(self, net: NetFile, /) -> Worth:
        """Return the evaluation `tuned`, corrected by a net; a game with a `net` has it."""
        raise NotImplementedError

    def teams(self, seats: int, /) -> list[list[int]]:
        """Return the seats that win together; each alone unless a game says otherwise."""
        return [[seat] for seat in range(seats)]

    def legal(self, table: Table, seat: int) -> list[int]:
        """Return the legal move codes of a seat as plain integers."""
        return [int(code) for code in table.legal(seat)]

    def listing(self, table: TableT, seat: int, /) -> list[int]:
        """Return the shown codes of a seat's legal moves, at least one: all of them in most games.

        If a word or a number distinguishes very many of them, examples are enough; all stay legal.
        """
        return self.legal(table, seat)
