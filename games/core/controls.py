"""Groups of legal moves: moves that differ in one field are one group with a form, so a client needs few controls."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Final

import msgspec
from msgspec import UNSET, Meta, UnsetType

from games.core.payloads import Drawn, Move, View
from games.core.texts import LANGUAGES

if TYPE_CHECKING:  # games hold their controls
    from games.core.game import Game

FormField = Annotated[str, Meta(description="The field that differs.")]
Number = Annotated[int, Meta(ge=0, le=2**31 - 1)]


class NumberForm(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="number"):
    """A range of numbers and a default."""

    field: FormField
    minimum: Number
    maximum: Number
    step: Annotated[int, Meta(ge=1, le=2**31 - 1)]
    default: Number


class ChoiceForm(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="choice"):
    """A few values for the field."""

    field: FormField
    values: list[Drawn]


class SearchForm(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="search"):
    """The ids of a reference sheet's lines, except `without`."""

    field: FormField
    sheet: str
    without: list[str]


MoveForm = NumberForm | ChoiceForm | SearchForm


class MoveGroup(msgspec.Struct, frozen=True, kw_only=True):
    """Moves for one control. With a form, each value of its field makes one legal move of any other of the group."""

    key: Annotated[str, Meta(description="The `group` of its moves.")]
    label: str
    form: MoveForm | UnsetType = UNSET


Place = tuple[Any, ...]
"""Key of a group: the kind of its moves, and the values of the fields that they share."""

MIN_FORM_MOVES: Final = 2
"""Minimum number of moves in a group with a form."""


class Controls:
    """Groups of a game's moves, by its declarations `varying`, `amounts` and `sheets`."""

    def __init__(self, game: Game) -> None:
        self._game = game
        self._varying = {
            kind: game.varying.get(kind) or kind.__struct_fields__[0]
            for kind in game.moves
            if kind in game.varying or len(kind.__struct_fields__) == 1
        }
        self._others = {
            kind: tuple(name for name in kind.__struct_fields__ if name != field)
            for kind, field in self._varying.items()
        }
        self._sheets = {sheet.key: [line.id for line in sheet.lines] for sheet in game.reference(LANGUAGES[0])}

    def group(
        self, listed: Sequence[Move], legal: Sequence[Move], view: View, language: str, names: Sequence[str] | None
    ) -> tuple[list[str], list[MoveGroup]]:
        """Return the key of each listed move's group, and the groups; forms have the values of all legal moves."""
        alike = defaultdict[Place, list[Move]](list)
        for move in legal:
            alike[self._place(move)].append(move)
        groups: dict[str, MoveGroup] = {}
        keys: dict[Place, str] = {}
        for place, moves in alike.items():
            group = self._group(place, moves, view, language, names)
            groups.setdefault(group.key, group)
            keys[place] = group.key
        return [keys[self._place(move)] for move in listed], list(groups.values())

    def _place(self, move: Move) -> Place:
        kind = type(move)
        field = self._varying.get(kind)
        if field is None or not isinstance(getattr(move, field), int | str):
            return (kind,)
        return kind, *[_fixed(getattr(move, name)) for name in self._others[kind]]

    def _group(
        self, place: Place, moves: Sequence[Move], view: View, language: str, names: Sequence[str] | None
    ) -> MoveGroup:
        kind, *others = place
        tag = str(kind.__struct_config__.tag)
        field = self._varying.get(kind, "")
        if len(moves) < MIN_FORM_MOVES or not all(_is_plain(move, field) for move in moves):
            return MoveGroup(key=tag, label=self._game.control(tag, moves[0], language, view, names))
        text = f"{tag}:{field}" if others else tag
        key = "/".join((f"{tag}:{field}", *map(_written, others)))
        label = self._game.control(text, moves[0], language, view, names)
        return MoveGroup(key=key, label=label, form=self._form(field, moves, view))

    def _form(self, field: str, moves: Sequence[Move], view: View) -> MoveForm:
        values = [getattr(move, field) for move in moves]
        sheet = self._game.sheets.get(field)
        if sheet is not None:
            legal = frozenset(values)
            return SearchForm(
                field=field, sheet=sheet, without=[each for each in self._sheets[sheet] if each not in legal]
            )
        if field in self._game.amounts:
            low, high = min(values), max(values)
            step = (high - low) // (len(values) - 1)
            if sorted(values) == list(range(low, high + 1, step)):
                usual = self._game.usual_amount(moves[0], view)
                default = min(values, key=lambda value: (abs(value - usual), value))
                return NumberForm(field=field, minimum=low, maximum=high, step=step, default=default)
        return ChoiceForm(field=field, values=values)


def _is_plain(move: Move, field: str) -> bool:
    return isinstance(getattr(move, field, None), int | str)


def _fixed(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _written(value: Any) -> str:
    if value is None:
        return "none"
    return "+".join(map(str, value)) if isinstance(value, tuple) else str(value).lower()
