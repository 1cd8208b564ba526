"""What a game offers to the service and the workers: its types, its texts, and the way in and out of a table.

`Game` is the contract, documented here once. A game is a package in `games/` whose `__init__` names one
instance, `GAME`, or a package that is installed and brings one (docs/own-games.md); `games.core.registry` finds both.
Types are `msgspec` structs: frozen, closed, and turned into the published schemas by `service.wire.fields`
(docs/decisions/002).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any, ClassVar, Final, Generic, cast

import msgspec
from msgspec import UNSET, UnsetType
from typing_extensions import TypeVar

from games.core.actions import ActionSpace
from games.core.advice import Advisor, Hypothesis
from games.core.bits import members_of
from games.core.dice import Dice, RecordingDice
from games.core.evolution import Chain, Migration, chain
from games.core.nets import NetFile
from games.core.reference import Sheet
from games.core.rules import Rule, read_rules
from games.core.svg import HEADLINE
from games.core.table import SPECTATOR, SPECTATORS, Journal, Table, Worth
from games.core.texts import Texts
from games.core.weights import Weights

LEARNED: Final = "learned"
"""The name of the evaluation that a net corrects."""


class Move(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="kind"):
    """What a seat does, for people and the wire; subclasses set `tag` to their kind.

    Kinds are unique among all games: the service finds a move's type by its kind alone.
    """


class Event(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="kind"):
    """What a move makes known to those who hear it; subclasses set `tag` to their kind, unique among all games."""


class View(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="game"):
    """All that one viewer may know of a table, with perfect memory; subclasses set `tag` to the game's slug.

    Every view has at least these fields; `seat` is None for a spectator.
    """

    own: ClassVar[frozenset[str] | None] = None
    """The fields in which views of one table may differ, if a game tells: others are compared once for all viewers."""

    ruleset: str
    seats: int = msgspec.field(name="seat_count")
    ply: int
    seat: int | None
    actors: list[int]


class Record(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A table written down in full, readable; it has no published schema."""


class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A game's options; every field has a default and, as `Meta(description, extra_json_schema)`, its source."""


Drawn = Annotated[int, msgspec.Meta(ge=-(2**31) + 1, le=2**31 - 1)] | str
"""What was drawn: a number of 32 bits, since not every client reads more beside texts, or a name."""


class Draw(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What chance answered: what was drawn, and the card or face by name, never by index."""

    what: str
    value: Drawn


class Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One line of a table's log: who did what, with what content of the mover's own, and what chance answered."""

    seat: int
    move: int
    outcomes: list[Draw] = []
    content: str | UnsetType = UNSET


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a move is illegal: the rule that forbids it, a text key with its parameters, and where in the move."""

    rule: str
    reason: str
    pointer: str = ""
    params: dict[str, Any] = field(default_factory=dict)


class UnexplainedError(RuntimeError):
    """A move is illegal and no rule of its game says why: the game has a gap."""


class BrokenRecordError(ValueError):
    """A written-down table or a view breaks an invariant of its game."""

    def __init__(self, rule: str, reason: str, pointer: str, **params: object) -> None:
        """Name the invariant's rule id, a text key with its parameters, and the place."""
        super().__init__(f"{rule} {reason} at {pointer or '/'} {params or ''}")
        self.rule = rule
        self.reason = reason
        self.pointer = pointer
        self.params = params


@dataclass(frozen=True, slots=True)
class Heard:
    """An event with the set of those who hear it (seats, and SPECTATORS)."""

    hearers: int
    event: Event

    def by(self, seat: int) -> bool:
        """Tell whether a seat, or SPECTATOR, hears it."""
        return bool(self.hearers & (SPECTATORS if seat == SPECTATOR else 1 << seat))


@dataclass(frozen=True, slots=True)
class Step:
    """What came of one move: the table after it, what became known to whom, and the line of the log that tells it."""

    table: Table
    heard: list[Heard]
    entry: Entry

    @property
    def outcomes(self) -> list[Draw]:
        """Return what chance answered."""
        return self.entry.outcomes


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a number comes from that the rulebook does not print."""

    value: str
    source: str
    kind: str  # rulebook | public | measured | reconstructed | decision


TableT = TypeVar("TableT", bound=Table, default=Any)
ViewT = TypeVar("ViewT", bound=View, default=Any)
RecordT = TypeVar("RecordT", bound=Record, default=Any)
OptionsT = TypeVar("OptionsT", bound=Options, default=Any)


class Game(ABC, Generic[TableT, ViewT, RecordT, OptionsT]):
    """One title: its facts, its types, and the functions between its tables and the world.

    A function that needs nothing of the game itself is held as it is: `write = staticmethod(record.write)`.
    """

    slug: ClassVar[str]
    ruleset: ClassVar[str]  # bumped when behaviour changes, not for a refactoring; move codes are part of it
    authors: ClassVar[tuple[str, ...]]
    year: ClassVar[int]
    seat_numbers: ClassVar[tuple[int, ...]]
    phases: ClassVar[tuple[str, ...]]
    touched: ClassVar[tuple[str, ...]] = (HEADLINE,)  # the roles of what moves touch in pictures
    purposes: ClassVar[tuple[str, ...]]  # names of what chance decides; the index is the dice's `what`
    scored: ClassVar[str | None] = None  # what `points` counts, as a key of texts "points"; None where nothing is
    hidden: ClassVar[tuple[str, ...]]  # what is hidden from whom, as keys of texts "information"
    moves: ClassVar[tuple[type[Move], ...]]
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
    handicaps_at: ClassVar[Mapping[int, Mapping[str, tuple[int, float]]]] = {}  # with so many seats, in place of those
    advised: ClassVar[frozenset[str]] = frozenset()  # levels of bots that the game's own adviser plays
    modelled: ClassVar[frozenset[str]] = frozenset()  # levels whose search takes the others to look one ply ahead
    weights: ClassVar[Weights | None] = None  # what `worths` are made of, where the evaluation can be tuned
    net: ClassVar[NetFile | None] = None  # what corrects the evaluation "learned"
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
        """Read a table back; raise BrokenRecordError where an invariant does not hold."""

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

    def refuse(self, table: TableT, seat: int, move: Move, /) -> Refusal | None:
        """Return why a move is illegal, or None where it is legal; knows no more than that seat does.

        The table's list of legal moves decides. Raise UnexplainedError for an illegal move without an objection.
        """
        codes = self.legal(table, seat)
        with suppress(ValueError):
            if codes and self.encode(table, seat, move) in codes:
                return None
        objection = self.objection(table, seat, move)
        if objection is None:
            raise UnexplainedError(f"{move} of seat {seat} is not legal, and no rule says why")
        return objection

    def objection(self, table: TableT, seat: int, move: Move, /) -> Refusal | None:
        """Return the rule that an illegal move breaks; it is called for no other."""
        return None

    def content(self, table: TableT, /) -> str | UnsetType:
        """Return a mover's own content that lies beside a table for the move at hand, which takes it away."""
        return UNSET

    def brings_content(self, move: Move) -> bool:
        """Tell whether a move has content of the mover's own, for which a sealed table must have room."""
        return isinstance(move, self.open_moves)

    def lay(self, table: TableT, content: str | UnsetType, /) -> None:
        """Lay content beside a table, so that the code it belongs to can be read and made there."""
        if content is not UNSET:
            raise ValueError("no move of this game has content of its own")

    def timeout_move(self, table: TableT, seat: int, /) -> int | None:
        """Return the move that a rule makes for a seat that does not answer in time, or None where none does."""
        return None

    def gives_way(self, table: TableT, seat: int, code: int, /) -> bool:
        """Tell whether a legal move waits for the answers of all others who decide at the same time.

        Chance decides between moves of the same moment; so it is for all moves unless a game says more.
        """
        return False

    def stands(self, name: str, /) -> bool:
        """Tell whether a seat may leave a standing answer of this name: one of `standing`, or one that says a move."""
        return name in self.standing

    def answer(self, table: TableT, seat: int, name: str, /) -> int | None:
        """Return the legal move that a standing answer of this name makes now, or None where it is silent.

        Knows no more than the seat does.
        """
        return None

    def points(self, table: TableT, /) -> list[int] | None:
        """Return what each seat has scored so far, by which the game ranks; None where it counts no points.

        It is told of games that are over.
        """
        return None

    # What is known.

    @abstractmethod
    def view(self, table: TableT, seat: int, /) -> View:
        """Return what a seat, or SPECTATOR, may know."""

    def views(self, table: TableT, seats: Sequence[int], /) -> Sequence[View]:
        """Return the view of each of some seats, as `view` does; what they have in common may be made once."""
        return [self.view(table, seat) for seat in seats]

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
        """Return the name of what chance answered (a card's number, a die's face)."""

    @abstractmethod
    def read_outcome(self, what: int, name: int | str, /) -> int:
        """Return the value behind a name; raise ValueError for one that cannot be drawn."""

    # Texts and pictures. A game says and draws with the texts it is given; they or `names` know what seats are called.

    @abstractmethod
    def say_headline(self, view: ViewT, language: str, texts: Texts, /) -> str:
        """Say in one sentence whose decision it is, or how the game ended."""

    def say_move(self, move: Move, language: str, view: ViewT, names: Sequence[str], texts: Texts, /) -> str:
        """Say what a move does; `view` is what its seat knows of the table before it."""
        return texts.tell(language, "moves", move, names)

    def say_event(self, event: Event, language: str, names: Sequence[str], texts: Texts, /) -> str:
        """Say what happened."""
        return texts.tell(language, "events", event, names)

    def refs(self, move: Move, view: ViewT, /) -> list[str]:
        """Return what a move touches in the picture of a view, in the order in which a person would touch it.

        Each is the `data-ref` of an element, as `field/12`. What touches nothing else touches the headline.
        """
        return [HEADLINE]

    @abstractmethod
    def draw(self, view: ViewT, language: str, theme: str, texts: Texts, angle: int = 0, /) -> str:
        """Draw a view as SVG; `theme` is light or dark.

        It is seen by somebody who has walked round to the right by `angle` degrees; what lies flat looks the same.
        """

    def headline(self, view: ViewT, language: str, names: Sequence[str] | None = None) -> str:
        """Say whose decision it is, or how the game ended; `names` are those of the players, per seat.

        Here and below, None stands for names that nobody has given: those of `seat_names`.
        """
        return self.say_headline(view, language, self.texts.with_names(names))

    def label(self, move: Move, language: str, view: ViewT, names: Sequence[str] | None = None) -> str:
        """Say what a move does; `view` is what its seat knows of the table before it."""
        return self.say_move(move, language, view, names or self.seat_names(view.seats, language), self.texts)

    def tell(self, event: Event, language: str, names: Sequence[str]) -> str:
        """Say what happened; `names` are the players' or those of `seat_names`."""
        return self.say_event(event, language, names, self.texts)

    def picture(
        self, view: ViewT, language: str, theme: str, angle: int = 0, names: Sequence[str] | None = None
    ) -> str:
        """Draw a view as SVG, as `draw` does."""
        return self.draw(view, language, theme, self.texts.with_names(names), angle)

    def draft(self, move: Move, language: str, theme: str, angle: int = 0) -> str | Refusal | None:
        """Draw what a move's own content would look like, as SVG, before it is made; or return why it may not be made.

        It needs no table and shows nothing of one. None for a move that has no picture.
        """
        return None

    def seat_names(self, seats: int, language: str) -> list[str]:
        """Return what the seats are called where nobody has given them names."""
        return self.texts.seats(language, seats)

    def sentence(self, rule: Rule, language: str) -> str:
        """Return a rule as it reads; the English sentence stands in RULES.md, which is where others fall back to."""
        sentence: str = self.texts.sections[language].get("rules", {}).get(rule.id, rule.sentence)
        return sentence

    def source(self, text: str, language: str) -> str:
        """Return where a rule or a number comes from, or why it was decided so; it is English where it was written."""
        told: str = self.texts.sections[language].get("sources", {}).get(text, text)
        return told

    def reference(self, language: str, /) -> list[Sheet]:
        """Return what lies beside the table for all to read besides the rules: overviews and lists."""
        return []

    def explain(self, rule: str, reason: str, params: dict[str, Any], language: str, names: Sequence[str] = ()) -> str:
        """Say why a move or a record is refused; `names` are the players', of which refusals of a record need none."""
        return self.texts.say(language, "refusals", reason, names, rule=rule, **params)

    def advisor(self, view: ViewT, seed: int, level: str | None = None) -> Advisor | None:
        """Return the game's own adviser for the seat of a view, or None where the general search is as good.

        It advises as a bot of the level would play, without one as well as it can.
        """
        return None

    def hypotheses(self, view: ViewT, /) -> list[Hypothesis]:
        """Return what the seat of a view may take hidden things for, the likeliest first; none in most games."""
        return []

    def weighed(self, weights: Mapping[str, float], /) -> Worth:
        """Return the evaluation with these weights; a game with `weights` has it."""
        raise NotImplementedError

    def corrected(self, net: NetFile, /) -> Worth:
        """Return the evaluation `tuned`, corrected by a net; a game with a `net` has it."""
        raise NotImplementedError

    # What follows for every game.

    def worth(self, name: str) -> Worth:
        """Return an evaluation by its name; where nothing is learned, `tuned` is what stands for LEARNED."""
        return self.worths["tuned" if name == LEARNED and name not in self.worths else name]

    def model(self, level: str) -> Worth | None:
        """Return what the others look one ply ahead with in a level's search, or None where it searches for all."""
        return self.worths["tuned"] if level in self.modelled else None

    @property
    def rulesets(self) -> list[str]:
        """Return every ruleset whose writings can be read, today's first."""
        return [self.ruleset, *(step.earlier for step in reversed(self.migrations))]

    def since(self, ruleset: str) -> Chain:
        """Return how what a ruleset has written down reads by today's.

        Raise UnknownRulesetError for one that this game has never had, or not yet.
        """
        return chain(self.migrations, ruleset, self.ruleset)

    def teams(self, seats: int, /) -> list[list[int]]:
        """Return the seats that win together; each alone unless a game says otherwise."""
        return [[seat] for seat in range(seats)]

    def forfeit(self, seats: int, out: Collection[int]) -> list[float]:
        """Return the rewards per seat where some are out: their teams have lost, and all others share the win.

        Where that leaves nobody, nobody has won more than another: all share alike.
        """
        teams = self.teams(seats)
        winners = [team for team in teams if not set(team) & set(out)] or teams
        return [sum(1 / len(winners) for team in winners if seat in team) for seat in range(seats)]

    @cached_property
    def actions(self) -> ActionSpace:
        """Return the numbers of the moves, which belong to the ruleset as codes do."""
        return ActionSpace(self.moves, self.open_moves)

    def legal(self, table: Table, seat: int) -> list[int]:
        """Return the legal move codes of a seat as plain integers."""
        return [int(code) for code in table.legal(seat)]

    def step(self, table: TableT, seat: int, code: int, dice: Dice) -> Step:
        """Make a legal move on a copy, and tell what became known and what chance answered."""
        after = cast("TableT", table.clone())
        journal = Journal()
        recorder = RecordingDice(dice)
        after.apply(seat, code, recorder, journal)
        heard = [Heard(hearers, self.event(after, kind, a, b, c)) for hearers, kind, a, b, c in journal.notes]
        outcomes = self.name_outcomes(recorder.outcomes)
        return Step(after, heard, Entry(seat=seat, move=code, outcomes=outcomes, content=self.content(table)))

    def name_outcomes(self, drawn: list[tuple[int, int]]) -> list[Draw]:
        """Write down what dice have recorded."""
        return [Draw(what=self.purposes[what], value=self.name_outcome(what, value)) for what, value in drawn]

    def read_outcomes(self, outcomes: list[Draw]) -> list[tuple[int, int]]:
        """Read what was written down, for ScriptedDice; raise ValueError for what cannot be drawn."""
        script = []
        for outcome in outcomes:
            if outcome.what not in self.purposes:
                raise ValueError(f"unknown purpose {outcome.what!r}")
            what = self.purposes.index(outcome.what)
            script.append((what, self.read_outcome(what, outcome.value)))
        return script

    def listing(self, table: TableT, seat: int, /) -> list[int]:
        """Return the codes that a seat is shown of its legal moves, at least one: all of them in most games.

        Where there are very many that a word or a number tells apart, examples of them are enough; all stay legal.
        """
        return self.legal(table, seat)

    def actors(self, table: Table) -> list[int]:
        """Return the seats that may move now."""
        return [int(seat) for seat in members_of(table.actors())]

    def outcome(self, table: Table) -> list[float] | None:
        """Return the rewards per seat once the game is over."""
        return None if table.actors() else [float(reward) for reward in table.rewards()]
