"""Schemas of tutorials. Any client can run a tutorial with the operations on snapshots."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import UNSET, Meta, UnsetType

from games.core.game import Game
from games.core.tutorials import SeatedMove, Tutorial, texts_of
from service.contract.json_schemas import SCHEMAS, Answer, AnyMove
from service.snapshots.records import Seat


class TutorialMove(Answer, frozen=True, kw_only=True):
    """A move of a seat."""

    seat: Seat
    move: AnyMove


class TutorialTableShown(Answer, frozen=True, kw_only=True):
    """The table of a tutorial, as a request body for `replay`."""

    seat_count: int
    options: Annotated[Any, Meta(extra_json_schema={"$ref": f"{SCHEMAS}Options"})]
    seed: str
    moves: list[TutorialMove]


class TutorialStepShown(Answer, frozen=True, kw_only=True):
    """A step of a tutorial.

    It contains a text, highlights, the move to wait for, and the moves that follow this move.
    """

    text: str
    refs: Annotated[
        list[str],
        Meta(description="Elements to mark in the picture for the learner's seat. Each entry is a `data-ref`."),
    ]
    move: Annotated[AnyMove, Meta(description="Missing if the step only waits for the reader.")] | UnsetType = UNSET
    replies: Annotated[list[TutorialMove], Meta(description="Moves of other seats, in order.")]


class TutorialShown(Answer, frozen=True, kw_only=True):
    """A tutorial, with texts in the reader's language."""

    key: str
    title: str
    summary: str
    minutes: int
    seat: Annotated[Seat, Meta(description="The learner's seat.")]
    table: TutorialTableShown
    steps: list[TutorialStepShown]


def serialize_tutorial(game: Game, tutorial: Tutorial, language: str) -> TutorialShown:
    said = texts_of(game.texts.sections[language], tutorial.key)
    table = tutorial.table
    return TutorialShown(
        key=tutorial.key,
        title=said.title,
        summary=said.summary,
        minutes=tutorial.minutes,
        seat=tutorial.seat,
        table=TutorialTableShown(
            seat_count=table.seat_count, options=table.options, seed=table.seed, moves=_moves(table.moves)
        ),
        steps=[
            TutorialStepShown(
                text=text,
                refs=step.refs,
                move=UNSET if step.move is None else step.move,
                replies=_moves(step.replies),
            )
            for step, text in zip(tutorial.steps, said.steps, strict=True)
        ],
    )


def _moves(moves: list[SeatedMove]) -> list[TutorialMove]:
    return [TutorialMove(seat=each.seat, move=each.move) for each in moves]
