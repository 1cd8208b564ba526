"""Descriptions of games: seats, options, moves and rules."""

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
from service.http.blueprint import Blueprint, answer
from service.http.context import current_context
from service.http.request_context import current_call, language
from service.wire.tutorials import TutorialShown, serialize_tutorial

blp = Blueprint("games", __name__, url_prefix="/v1/games", description="Games, their options and their rules.")

IF_GAMES_CHANGED: Final = {
    "in": "header",
    "name": "If-None-Match",
    "description": "ETag of the caller's stored response. The response is 304 if it is still current.",
    "schema": {"type": "string"},
}

Names = Annotated[dict[str, str], Meta(description="Names by language: de, en, it.")]


class SeatCounts(msgspec.Struct, frozen=True):
    """The supported numbers of seats, and the teams."""

    min: int
    max: int
    allowed: list[int]
    teams: Annotated[dict[str, list[list[int]]], Meta(description="By number of seats: the seats that win together.")]


class MinuteSpan(msgspec.Struct, frozen=True):
    """A range of minutes."""

    min: Annotated[int, Meta(ge=1, le=999)]
    max: Annotated[int, Meta(ge=1, le=999)]


Summary = Annotated[str, Meta(description="Summary of the game in one sentence.")]
Goal = Annotated[str | None, Meta(description="Condition for winning, in one sentence.")]
Minutes = Annotated[MinuteSpan | None, Meta(description="Duration of a game, in minutes.")]
Difficulty = Annotated[
    Annotated[int, Meta(ge=1, le=3)] | None, Meta(description="Difficulty from 1, easy to learn, to 3.")
]


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
    """A text in the reader's language. `key` is the name of the text. The name is the same in every language."""

    key: str
    text: str


class NumberSource(msgspec.Struct, frozen=True):
    """An option or another fact of a game: its value and its origin, such as a section of the rulebook."""

    name: str
    value: str
    source: str
    kind: Annotated[str, Meta(description="Type of the source: rulebook, public, measured, reconstructed or decision.")]


class OptionsOffered(msgspec.Struct, frozen=True):
    """The options of a game.

    `schema` is the JSON Schema of the options. `presets` has sets of options by name. `sources` lists the options
    and other facts of the game. Each item names its origin, such as a section of the rulebook.
    """

    schema: dict[str, Any]
    presets: dict[str, dict[str, Any]]
    sources: list[NumberSource]


class ActionParameter(msgspec.Struct, frozen=True):
    """A field in one kind of move, and the number of its possible values."""

    name: str
    values: Annotated[int, Meta(ge=1)]


class ActionKindShown(msgspec.Struct, frozen=True):
    """The dense indices of one kind of move. The first index is `first`, and there are `size` indices.

    The moves of this kind are sorted by the value of their first parameter. Moves with the same value of the first
    parameter are sorted by the second parameter, and so on.

    Some kinds of moves have no indices. Then `first` is null, and `size` is 0. One reason is that the moves contain
    content that the player creates, such as a text. The other reason is that a parameter has too many possible values.
    """

    kind: str
    first: Annotated[int, Meta(ge=0)] | None
    size: Annotated[int, Meta(ge=0)]
    parameters: list[ActionParameter]


class ActionSpaceShown(msgspec.Struct, frozen=True):
    """The two kinds of numbers that a move can have: a code and a dense index.

    A code is less than `code_limit`. A dense index is less than `size`. Both numbers depend only on the ruleset.
    Therefore, a number stands for the same move at every table.
    """

    code_limit: Annotated[int, Meta(ge=1)]
    size: Annotated[int, Meta(ge=0)]
    kinds: list[ActionKindShown]


class GameDescription(msgspec.Struct, frozen=True):
    """The complete description of a game, with texts in the reader's language."""

    game: str
    ruleset: str
    rulesets: Annotated[list[str], Meta(description="The current ruleset and all earlier rulesets that are supported.")]
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
    moves: Annotated[list[str], Meta(description="Kinds of moves. Their schemas are in the OpenAPI document.")]
    refs: Annotated[
        list[str],
        Meta(description="Roles of elements in pictures. A `data-ref` is a role, or a role, a slash and a key."),
    ]
    action_space: ActionSpaceShown
    events: Annotated[list[str], Meta(description="Kinds of events.")]
    round_events: Annotated[
        list[str], Meta(description="Kinds of events that end a round; empty for a game without rounds.")
    ]
    information: Annotated[list[Said], Meta(description="Hidden information, and the viewers that it is hidden from.")]
    chance: Annotated[list[Said], Meta(description="Random draws of the game.")]
    points: Annotated[Said | None, Meta(description="Meaning of the points in outcomes; null if the game has none.")]


class RuleLine(msgspec.Struct, frozen=True):
    """One rule in our own words."""

    id: str
    sentence: str
    source: Annotated[str, Meta(description="Section of the rulebook; for a decision, its reason.")]
    decision: Annotated[bool, Meta(description="Whether this is our decision because the rulebook is silent.")]


@blp.url_value_preprocessor
def find_game(_endpoint: str | None, values: dict[str, Any] | None) -> None:
    """Replace the slug `values["game"]` by the game. `values` contains the path arguments of the request.

    Raise Problem (404) if the slug is unknown.
    """
    if values and "game" in values:
        game = values["game"] = current_context().game(values["game"])
        current_call().game = game.slug


@blp.get("")
@blp.response(200, list[GameCard], not_modified=IF_GAMES_CHANGED)
def list_games() -> Response:
    """List games.

    Return every game of this service with its authors, its numbers of seats and its rulesets.
    """
    return tagged([_card(game) for game in current_context().games.values()])


@blp.get("/<game>")
@blp.response(200, GameDescription, not_modified=IF_GAMES_CHANGED, problems=("unknown-game",))
def describe_game(game: Game) -> Response:
    """Describe a game.

    Return the game's seats, options, phases, moves and events, the information that it hides, and the decisions that it
    leaves to chance. Texts are in the reader's language.
    """
    said = game.texts.sections[language()]
    return tagged(
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
            round_events=list(game.round_events),
            information=[Said(key, said["information"][key]) for key in game.hidden],
            chance=[Said(key, said["chance"][key]) for key in game.purposes],
            points=None if game.scored is None else Said(game.scored, said["points"][game.scored]),
        )
    )


@blp.get("/<game>/rules")
@blp.response(200, list[RuleLine], not_modified=IF_GAMES_CHANGED, problems=("unknown-game",))
def list_rules(game: Game) -> Response:
    """List a game's rules.

    Return every rule in one sentence with its id and its source. If the rulebook is silent or ambiguous, we decided the
    rule. In such a rule, `decision` is true.
    """
    said = language()
    return tagged(
        [
            RuleLine(rule.id, game.sentence(rule, said), game.source(rule.source, said), rule.decision)
            for rule in game.rules
        ]
    )


@blp.get("/<game>/reference")
@blp.response(200, list[Sheet], not_modified=IF_GAMES_CHANGED, problems=("unknown-game",))
def read_reference(game: Game) -> Response:
    """List a game's reference sheets.

    Return the public reference material of the game, such as the overview of a turn. In Barbarossa, it also contains
    the table of all words that players may have to guess.
    """
    return tagged(game.reference(language()))


@blp.get("/<game>/tutorials")
@blp.response(200, list[TutorialShown], not_modified=IF_GAMES_CHANGED, problems=("unknown-game",))
def list_tutorials(game: Game) -> Response:
    """List a game's tutorials.

    To run a tutorial, send its `table` to `replay` and keep the `snapshot`. In each step, show `text` and the picture
    for the learner's seat. In this picture, mark the elements in `refs`. If the step has a `move`, wait until the
    learner makes it, and send it to `makeSnapshotMove`. Otherwise, wait until the learner continues. Then send each of
    `replies` to `makeSnapshotMove`. The tutorial's `table` contains a seed that determines all random draws. Therefore,
    every run is the same.
    """
    return tagged([serialize_tutorial(game, tutorial, language()) for tutorial in game.tutorials])


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


def tagged(value: Any) -> Response:
    response = answer(value)
    response.set_etag(hashlib.sha256(response.get_data()).hexdigest()[:32])
    response.headers["Cache-Control"] = "no-cache"
    response.make_conditional(request)
    return response
