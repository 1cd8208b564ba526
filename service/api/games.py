"""Games as data: what there is to play, with which seats, options, moves and rules."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Annotated, Any, Final

import msgspec
from flask import Response, request
from msgspec import Meta

from games.core.game import Game
from games.core.reference import Sheet
from games.core.texts import LANGUAGES
from service.http.blueprint import Blueprint, NotModified, answer
from service.http.call import current_call
from service.http.context import current_context
from service.http.request_context import language

blp = Blueprint("games", __name__, url_prefix="/v1/games", description="The games, their options and their rules.")

UNCHANGED_GAMES: Final = NotModified(
    "Nothing has changed.",
    {
        "in": "header",
        "name": "If-None-Match",
        "description": "The ETag that the caller has.",
        "schema": {"type": "string"},
    },
)

Names = Annotated[dict[str, str], Meta(description="By language: de, en, it.")]


class SeatCounts(msgspec.Struct, frozen=True):
    """How many may play, and who wins together."""

    min: int
    max: int
    allowed: list[int]
    teams: Annotated[dict[str, list[list[int]]], Meta(description="By number of seats: the seats that win together.")]


class MinuteSpan(msgspec.Struct, frozen=True):
    """A range of minutes."""

    min: Annotated[int, Meta(ge=1, le=999)]
    max: Annotated[int, Meta(ge=1, le=999)]


Summary = Annotated[str, Meta(description="One sentence.")]
Goal = Annotated[str | None, Meta(description="What wins.")]
Minutes = Annotated[MinuteSpan | None, Meta(description="How long a game lasts.")]
Difficulty = Annotated[Annotated[int, Meta(ge=1, le=3)] | None, Meta(description="From 1, easy to learn, to 3.")]


class GameCard(msgspec.Struct, frozen=True):
    """A game in a list."""

    game: str
    ruleset: str
    names: Names
    seat_counts: SeatCounts
    authors: list[str]
    year: int
    summary: Summary
    goal: Goal
    minutes: Minutes
    difficulty: Difficulty


class Said(msgspec.Struct, frozen=True):
    """Something with a key that stays and a text in the reader's language."""

    key: str
    text: str


class NumberSource(msgspec.Struct, frozen=True):
    """Where a number comes from that the rulebook does not print."""

    name: str
    value: str
    source: str
    kind: Annotated[str, Meta(description="rulebook, public, measured, reconstructed or decision")]


class OptionsOffered(msgspec.Struct, frozen=True):
    """The options as JSON Schema, named presets, and the sources of numbers."""

    schema: dict[str, Any]
    presets: dict[str, dict[str, Any]]
    sources: list[NumberSource]


class ActionParameter(msgspec.Struct, frozen=True):
    """A field of a kind of moves, and how many values it may have."""

    name: str
    values: Annotated[int, Meta(ge=1)]


class ActionKindShown(msgspec.Struct, frozen=True):
    """The indices of a kind's moves: `size` of them from `first` on; the last parameter counts fastest.

    `first` is null for kinds with content of the player's own or too many values.
    """

    kind: str
    first: Annotated[int, Meta(ge=0)] | None
    size: Annotated[int, Meta(ge=0)]
    parameters: list[ActionParameter]


class ActionSpaceShown(msgspec.Struct, frozen=True):
    """The moves as numbers: codes are below `code_limit`, dense indices below `size`.

    Both belong to the ruleset. Every index is a move, at any table.
    """

    code_limit: Annotated[int, Meta(ge=1)]
    size: Annotated[int, Meta(ge=0)]
    kinds: list[ActionKindShown]


class GameDescription(msgspec.Struct, frozen=True):
    """A game in full, with texts in the reader's language."""

    game: str
    ruleset: str
    rulesets: Annotated[list[str], Meta(description="The current ruleset and all earlier ones that can be read.")]
    names: Names
    subtitle: str
    summary: Summary
    goal: Goal
    minutes: Minutes
    difficulty: Difficulty
    seat_counts: SeatCounts
    authors: list[str]
    year: int
    options: OptionsOffered
    phases: list[Said]
    moves: Annotated[list[str], Meta(description="The kinds of moves; their schemas stand in the OpenAPI document.")]
    refs: Annotated[
        list[str],
        Meta(description="The roles in pictures: a `data-ref` is a role, or a role, a slash and a key."),
    ]
    action_space: ActionSpaceShown
    events: Annotated[list[str], Meta(description="The kinds of events.")]
    information: Annotated[list[Said], Meta(description="What is hidden, and from whom.")]
    chance: Annotated[list[Said], Meta(description="What chance decides.")]
    points: Annotated[Said | None, Meta(description="What points of outcomes count; null where nothing is scored.")]


class RuleLine(msgspec.Struct, frozen=True):
    """One rule in one sentence of our own words."""

    id: str
    sentence: str
    source: Annotated[str, Meta(description="Where it stands in the rulebook; of a decision, its reason.")]
    decision: Annotated[bool, Meta(description="Whether the rulebook is silent and we decided.")]


@blp.url_value_preprocessor
def find_game(_endpoint: str | None, values: dict[str, Any] | None) -> None:
    """Put the game in the place of its slug, or fail with 404."""
    if values and "game" in values:
        game = values["game"] = current_context().game(values["game"])
        current_call().game = game.slug


@blp.get("")
@blp.response(200, list[GameCard], not_modified=UNCHANGED_GAMES)
def list_games() -> Response:
    """List the games."""
    return _tagged([_card(game) for game in current_context().games.values()])


@blp.get("/<game>")
@blp.response(200, GameDescription, not_modified=UNCHANGED_GAMES, problems=("unknown-game",))
def describe_game(game: Game) -> Response:
    """Describe a game: seats, options, phases, moves, what is hidden and what chance decides."""
    said = game.texts.sections[language()]
    return _tagged(
        GameDescription(
            **msgspec.structs.asdict(_card(game)),
            rulesets=game.rulesets,
            subtitle=said["names"]["subtitle"],
            options=OptionsOffered(
                schema=_options_schema(game, said["options"]),
                presets={name: msgspec.to_builtins(preset) for name, preset in game.presets.items()},
                sources=[
                    NumberSource(name, at.value, game.source(at.source, language()), at.kind)
                    for name, at in game.provenance.items()
                ],
            ),
            phases=[Said(key, said["phases"][key]) for key in game.phases],
            moves=[str(kind.__struct_config__.tag) for kind in game.moves],
            refs=list(game.touched),
            action_space=_action_space(game),
            events=[str(kind.__struct_config__.tag) for kind in game.events],
            information=[Said(key, said["information"][key]) for key in game.hidden],
            chance=[Said(key, said["chance"][key]) for key in game.purposes],
            points=None if game.scored is None else Said(game.scored, said["points"][game.scored]),
        )
    )


@blp.get("/<game>/rules")
@blp.response(200, list[RuleLine], not_modified=UNCHANGED_GAMES, problems=("unknown-game",))
def list_rules(game: Game) -> Response:
    """List every rule of a game with its source, decisions marked as such."""
    said = language()
    return _tagged(
        [
            RuleLine(rule.id, game.sentence(rule, said), game.source(rule.source, said), rule.decision)
            for rule in game.rules
        ]
    )


@blp.get("/<game>/reference")
@blp.response(200, list[Sheet], not_modified=UNCHANGED_GAMES, problems=("unknown-game",))
def read_reference(game: Game) -> Response:
    """List the reference sheets of a game, such as an overview of a turn."""
    return _tagged(game.reference(language()))


def _card(game: Game) -> GameCard:
    teams = {str(number): game.teams(number) for number in game.seat_numbers}
    counts = SeatCounts(min(game.seat_numbers), max(game.seat_numbers), list(game.seat_numbers), teams)
    names = {each: game.texts.sections[each]["names"]["title"] for each in LANGUAGES}
    said: Mapping[str, str] = game.texts.sections[language()]["names"]
    return GameCard(
        game=game.slug,
        ruleset=game.ruleset,
        names=names,
        seat_counts=counts,
        authors=list(game.authors),
        year=game.year,
        summary=said.get("summary", said["subtitle"]),
        goal=said.get("goal"),
        minutes=None if game.minutes is None else MinuteSpan(*game.minutes),
        difficulty=game.difficulty,
    )


def _options_schema(game: Game, said: Mapping[str, Mapping[str, str]]) -> dict[str, Any]:
    (_, described), *_more = msgspec.json.schema_components([game.options_type])[1].items()
    properties = {name: {**value, **said.get(name, {})} for name, value in described["properties"].items()}
    return {**described, "properties": properties}


def _action_space(game: Game) -> ActionSpaceShown:
    kinds = [
        ActionKindShown(
            kind.name, kind.first, kind.size, [ActionParameter(each.name, len(each.values)) for each in kind.parameters]
        )
        for kind in game.actions.kinds
    ]
    return ActionSpaceShown(game.code_limit, game.actions.size, kinds)


def _tagged(value: Any) -> Response:
    """Answer public data under a tag of its content, or say that the caller has it already."""
    response = answer(value)
    response.set_etag(hashlib.sha256(response.get_data()).hexdigest()[:32])
    response.headers["Cache-Control"] = "no-cache"
    response.make_conditional(request)
    return response
