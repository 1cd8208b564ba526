"""Results of the tools, as types from which the SDK derives their output schemas."""

from __future__ import annotations

from typing import Any, NotRequired

from typing_extensions import TypedDict


class GameListed(TypedDict):
    """A game: its id, name and possible numbers of seats."""

    game: str
    name: str
    seats: list[int]


class Games(TypedDict):
    """The games of the service."""

    games: list[GameListed]


class RuleTold(TypedDict):
    """A rule of a game."""

    id: str
    sentence: str


class Rules(TypedDict):
    """A page of rules; `next` is the `first` of the following page."""

    rules: list[RuleTold]
    total: int
    next: NotRequired[int]


class Invite(TypedDict):
    """The invite code of an open seat."""

    seat: int
    code: str


class TableOpened(TypedDict):
    """A table with its handle."""

    table: str
    session: str
    seat: int
    game: str
    status: str
    players: list[str]
    options: NotRequired[dict[str, Any]]
    invites: NotRequired[list[Invite]]


class Look(TypedDict):
    """A seat's view, or its changes since the last look; neither without changes.

    `status` is left out while the session runs, and `actors` on your own turn.
    """

    version: int
    your_turn: bool
    headline: str
    status: NotRequired[str]
    actors: NotRequired[list[int]]
    news: NotRequired[list[str]]
    earlier: NotRequired[int]
    deadline: NotRequired[str]
    rewards: NotRequired[list[float]]
    view: NotRequired[dict[str, Any]]
    changed: NotRequired[dict[str, Any]]
    left_out: NotRequired[list[str]]
    part: NotRequired[Any]


class Moves(TypedDict):
    """A page of legal moves, their sentences by their codes; an ellipsis stands for the beginning of the one before.

    `next` is the `first` of the following page, and `kinds` counts all moves by their kind. With `examples` there are
    more moves than the listed ones.
    """

    version: int
    total: int
    moves: dict[str, str]
    kinds: NotRequired[dict[str, int]]
    examples: NotRequired[bool]
    next: NotRequired[int]


class Played(TypedDict):
    """The result of a move; while it is the seat's turn again, also the changes in its view."""

    version: int
    your_turn: bool
    headline: NotRequired[str]
    status: NotRequired[str]
    actors: NotRequired[list[int]]
    news: list[str]
    rewards: NotRequired[list[float]]
    view: NotRequired[dict[str, Any]]
    changed: NotRequired[dict[str, Any]]
    left_out: NotRequired[list[str]]


class Check(TypedDict):
    """The legality of a move; for an illegal one, the reason and the rules."""

    legal: bool
    why: NotRequired[str]
    errors: NotRequired[list[dict[str, Any]]]


class MoveRated(TypedDict):
    """A move and its value between 0 and 1, with reasons as sentences: `gains` over the best other move, and `risks`.

    `then` is the expected continuation. A move of a puzzle that the search did not consider has no value.
    """

    code: int
    label: str
    value: NotRequired[float]
    confidence: NotRequired[str]
    gains: NotRequired[list[str]]
    risks: NotRequired[list[str]]
    then: NotRequired[list[str]]


class Hint(TypedDict):
    """The best moves that a search found."""

    iterations: int
    moves: list[MoveRated]


class PuzzleShown(TypedDict):
    """A puzzle: the view of the seat that has to move, and a page of its legal moves by their codes.

    `next` is the `first` of the following page, which leaves out the view.
    """

    puzzle: str
    seat: int
    seat_count: int
    difficulty: int
    themes: list[str]
    view: NotRequired[dict[str, Any]]
    left_out: NotRequired[list[str]]
    part: NotRequired[Any]
    total: int
    moves: dict[str, str]
    next: NotRequired[int]


class PuzzleAnswered(TypedDict):
    """The result of an answer, with the best move as `solution` if the answer is wrong."""

    right: bool
    move: MoveRated
    solution: NotRequired[MoveRated]


class History(TypedDict):
    """A page of the history, a line for each change; `next` is the `first` of the following page."""

    first: int
    total: int
    lines: list[str]
    next: NotRequired[int]
