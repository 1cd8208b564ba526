"""Parts of responses that contain moves and events of a game."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from games.core.controls import MoveGroup
from games.core.game import Draw, Event, Game, Heard, Move
from games.core.table import SPECTATOR, Table
from service.contract.json_schemas import ELSE_FALSE, SCHEMAS, Answer, AnyEvent, AnyMove, AnyProblem
from service.snapshots.records import Seat

Hearer = Annotated[
    Any,
    Meta(extra_json_schema={"$ref": f"{SCHEMAS}Hearer"}),
]


ListingMode = Literal["list", "schema"]
INDEX_META = Meta(ge=0, description="Index of the move in the game's `action_space`; missing if its kind has none.")


Refs = Annotated[
    list[str],
    Meta(
        description="Elements of the seat's picture that the move touches, in a person's order, by their "
        "`data-ref`, such as `field/12`. Moves with the same refs differ in further choices that their "
        "labels name."
    ),
]


PhaseKey = Annotated[str, Meta(description="Key of the phase, as in the game's `phases`.")]


Forced = Annotated[bool, Meta(description="True for the only legal move.", extra_json_schema=ELSE_FALSE)]


class ListedMove(msgspec.Struct, frozen=True):
    """A legal move, as an object, as a code and as a sentence.

    `index` is the position of the move in the game's `action_space`. So a learning program can build an action mask:
    the mask allows the positions of all listed moves.
    """

    code: int
    move: AnyMove
    label: str
    refs: Refs
    index: Annotated[int, INDEX_META] | UnsetType | None = UNSET
    group: str | UnsetType = UNSET
    forced: Forced | UnsetType = UNSET


class LegalMoves(Answer, frozen=True, kw_only=True):
    """The legal moves of a seat. The list is empty if the seat has no decision to make."""

    seat: int
    mode: Annotated[
        ListingMode, Meta(description=("`list` if all legal moves are listed; `schema` if more moves are legal."))
    ]
    count: int
    phase: PhaseKey | UnsetType = UNSET
    prompt: Annotated[str, Meta(description="An imperative for the seat, such as `End your turn.`")] | UnsetType = UNSET
    groups: list[MoveGroup] | UnsetType = UNSET
    moves: list[ListedMove]


class HeardOtherwise(msgspec.Struct, frozen=True):
    """A form of an event with fewer details, for viewers who may not see all details."""

    event: AnyEvent
    text: str
    hearers: list[Hearer]


class HeardEvent(msgspec.Struct, frozen=True):
    """An event and its recipients. A recipient is a seat or the spectators.

    If the response is for one seat, the recipients are omitted. A history contains each event only once, in its most
    complete form. `otherwise` contains the less detailed forms for other viewers.
    """

    event: AnyEvent
    text: str
    hearers: list[Hearer] | UnsetType = UNSET
    otherwise: list[HeardOtherwise] | UnsetType = UNSET


class Outcome(msgspec.Struct, frozen=True):
    """Result of a game.

    The reward of a seat is 1 for a win and 0 for a loss. Seats that share a win get equal parts of 1.
    `points` are the points of each seat, if the game has points. The game's description explains them.
    """

    rewards: list[float]
    headline: str
    points: list[int] | UnsetType = UNSET


class ReplayedMove(msgspec.Struct, frozen=True):
    """A move from the history of a table.

    `draws` contains the results of all random draws that the move caused.
    """

    ply: int
    seat: Seat
    code: int
    move: AnyMove
    label: str
    draws: list[Draw]
    events: list[HeardEvent]


class Misfit(msgspec.Struct, frozen=True):
    """The first invalid move of a replay, and its problem."""

    index: int
    problem: AnyProblem


def legal_moves(
    game: Game, table: Table, seat: int, language: str, names: Sequence[str] | None = None, *, over: bool = False
) -> LegalMoves:
    """Return the legal moves of a seat.

    The list contains only examples if there are too many legal moves, or if a player can freely choose the content of a
    move. If `over` is true, the game has ended, and the list is empty.
    """
    legal, listed = ([], []) if over else (game.legal(table, seat), game.listing(table, seat))
    view = game.view(table, seat)
    every = [game.decode(table, code) for code in legal]
    moves = every if listed == legal else [game.decode(table, code) for code in listed]
    # Also return only examples if the player can freely choose a move's content.
    own = len(listed) < len(legal) or any(isinstance(move, game.open_moves) for move in moves)
    forced = True if len(listed) == 1 and not own else UNSET
    keys, groups = game.controls.group(moves, every, view, language, names)
    return LegalMoves(
        seat=seat,
        mode="schema" if own else "list",
        count=len(moves),
        phase=game.phase(view) or UNSET,
        prompt=game.prompt(view, language, names) if moves else UNSET,
        groups=groups or UNSET,
        moves=[
            ListedMove(
                code,
                move,
                game.label(move, language, view, names),
                game.refs(move, view),
                _index(game, move),
                group,
                forced,
            )
            for code, move, group in zip(listed, moves, keys, strict=True)
        ],
    )


def serialize_move(
    game: Game, table: Table, seat: int, code: int, language: str, names: Sequence[str] | None = None
) -> ListedMove:
    move, view = game.decode(table, code), game.view(table, seat)
    return ListedMove(code, move, game.label(move, language, view, names), game.refs(move, view), _index(game, move))


def _index(game: Game, move: Move) -> int | UnsetType:
    index = game.actions.index(move)
    return UNSET if index is None else index


def serialize_heard_events(
    game: Game, table: Table, events: list[Heard], language: str, hearer: int | None = None
) -> list[HeardEvent]:
    """Return the events of a move as JSON.

    If `hearer` is a seat, return only the events that this seat receives. If `hearer` is None, return all events with
    their recipients.
    """
    names = game.seat_names(table.seats, language)
    return [
        HeardEvent(
            event.event,
            game.tell(event.event, language, names),
            _hearers(event, table.seats) if hearer is None else UNSET,
        )
        for event in events
        if hearer is None or event.by(hearer)
    ]


def serialize_log_events(seats: int, events: Sequence[Heard], say: Callable[[Event], str]) -> list[HeardEvent]:
    """Return the events of a session's log as JSON. `seats` is the number of seats.

    The list has one entry for each event. Usually, all recipients receive the same form of the event. If some of them
    receive fewer details, the entry contains the most detailed form, and the recipients of this form. The field
    `otherwise` of the entry contains the less detailed forms. Each of these forms has its own list of recipients.
    """
    log = []
    for first, *others in group_alike(events):
        otherwise = [HeardOtherwise(one.event, say(one.event), _hearers(one, seats)) for one in others]
        log.append(HeardEvent(first.event, say(first.event), _hearers(first, seats), otherwise or UNSET))
    return log


def group_alike(events: Sequence[Heard]) -> list[list[Heard]]:
    """Return one list for each event. The list contains all forms of this event.

    Different recipients may receive different forms of an event. The most detailed form is the first in its list.
    """
    found: list[list[Heard]] = []
    for event in events:
        if found and all(is_less(event, other) for other in found[-1]):
            found[-1].append(event)
        else:
            found.append([event])
    return found


def is_less(event: Heard, whole: Heard) -> bool:
    """Return whether `event` can be a less detailed form of `whole`.

    Both must have the same type, and no recipient in common. Each field of `event` must be None or equal to the same
    field of `whole`.
    """
    if type(event.event) is not type(whole.event) or event.hearers & whole.hearers:
        return False
    fields = zip(msgspec.structs.astuple(event.event), msgspec.structs.astuple(whole.event), strict=True)
    return all(value is None or value == known for value, known in fields)


def _hearers(event: Heard, seats: int) -> list[int | str]:
    return [seat for seat in range(seats) if event.by(seat)] + (["spectators"] if event.by(SPECTATOR) else [])


def serialize_outcome(game: Game, table: Table, language: str, names: Sequence[str] | None = None) -> Outcome | None:
    rewards = game.outcome(table)
    if rewards is None:
        return None
    points = game.points(table)
    headline = game.headline(game.view(table, SPECTATOR), language, names)
    return Outcome(rewards, headline, UNSET if points is None else points)
