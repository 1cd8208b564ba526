"""Strict, bounded marshmallow fields and schemas of requests. They report each error as a `Fault`.

Each schema derives from `Body` or `Query`, which reject unknown fields. If a game defines the type of a value, the
field of this value is a `Payload`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from functools import partial
from itertools import islice
from types import MappingProxyType
from typing import Any, ClassVar, Final

import marshmallow as ma
from marshmallow import fields, validate

from games.core.checkpoint import checkpoint
from service.http.context import current_context
from service.http.json_body import Entry, EntryList
from service.validation import structs
from service.validation.faults import MAX_FAULTS, Fault
from service.validation.names import read_name

NAME_RULES: Final = (
    "Normalised to NFC and trimmed. Control, private-use, unassigned and invisible characters are rejected, as are "
    "joiners outside scripts and emoji that need them."
)

_DIGITS: Final = re.compile(r"-?[0-9]{1,15}\Z")


def _faults(**reasons: str) -> dict[str, Any]:
    common = {"required": "missing", "null": "null", "validator_failed": "invalid"}
    return {key: [Fault("", reason)] for key, reason in (common | reasons).items()}


class Body(ma.Schema):
    """A request body. Each unknown field is reported with its JSON pointer."""

    class Meta:
        """Options that make marshmallow reject unknown fields."""

        unknown = ma.RAISE

    error_messages: Any = MappingProxyType({"unknown": Fault("", "unknown"), "type": Fault("", "not-object")})

    def load(self, data: Any, **options: Any) -> Any:
        """Load a request body. If the body has very many unknown fields, report only some of them."""
        if type(data) is dict and len(data) > len(self.fields) + MAX_FAULTS:
            unknown = islice((name for name in data if name not in self.fields), MAX_FAULTS + 1)
            raise ma.ValidationError({name: [self.error_messages["unknown"]] for name in unknown})
        return super().load(data, **options)


class Query(Body):
    """The query parameters of an operation. Unknown parameters are rejected."""

    unlisted: ClassVar[frozenset[str]] = frozenset()
    """Parameters that are accepted but not documented in the contract, because only operators use them."""


class DescribedField(fields.Field[Any]):
    """A field with a `description` for the OpenAPI document."""

    def __init__(self, *args: Any, description: str = "", **kwargs: Any) -> None:
        if description:
            kwargs["metadata"] = {**kwargs.get("metadata", {}), "description": description}
        super().__init__(*args, **kwargs)


class Whole(DescribedField, fields.Integer):
    """An integer from `low` to `high`. Booleans are rejected. The number 7.0 is accepted as 7."""

    default_error_messages = _faults(invalid="not-integer", too_large="not-integer")

    def __init__(self, low: int, high: int, **kwargs: Any) -> None:
        super().__init__(strict=True, validate=Range(low, high), **kwargs)

    def _validated(self, value: Any) -> Any:
        if isinstance(value, str) and isinstance(self.root, Query) and _DIGITS.match(value):
            value = int(value)
        return super()._validated(value)


class Real(DescribedField, fields.Float):
    """A finite number from `low` to `high`."""

    default_error_messages = _faults(invalid="not-number", too_large="not-number", special="not-number")

    def __init__(self, low: float, high: float, **kwargs: Any) -> None:
        super().__init__(allow_nan=False, validate=Range(low, high), **kwargs)

    def _validated(self, value: Any) -> Any:
        """Accept only numbers, because marshmallow would also parse strings."""
        if isinstance(value, str):
            raise self.make_error("invalid", input=value)
        return super()._validated(value)


class Words(DescribedField, fields.String):
    """A string of `low` to `high` characters. If `pattern` is given, it must match the whole string."""

    default_error_messages = _faults(invalid="not-string", invalid_utf8="invalid")

    def __init__(self, low: int, high: int, *, pattern: str = "", **kwargs: Any) -> None:
        validators: list[Any] = [Length("length", low, high)]
        if pattern:
            validators.append(Pattern(pattern))
            kwargs["metadata"] = {"pattern": f"^(?:{pattern})$", **kwargs.get("metadata", {})}
        super().__init__(validate=validators, **kwargs)


class Moment(DescribedField, fields.String):
    """A time in RFC 3339 format, converted to milliseconds since 1970."""

    default_error_messages = _faults(invalid="not-string", invalid_utf8="invalid")

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(metadata={"format": "date-time", "example": "2026-11-15T00:00:00Z"}, **kwargs)

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any) -> Any:
        text = super()._deserialize(value, attr, data, **kwargs)
        try:
            found = datetime.fromisoformat(text)
        except ValueError:
            raise ma.ValidationError([Fault("", "pattern")]) from None
        if found.tzinfo is None or "T" not in text:
            raise ma.ValidationError([Fault("", "pattern")])
        return max(0, round(found.timestamp() * 1000))


class DisplayName(Words):
    """A name that other people see. `service.validation.names` contains the rules for names."""

    def __init__(self, high: int, **kwargs: Any) -> None:
        """Create the field. `high` is the maximum number of characters."""
        told = kwargs.pop("description", "")
        kwargs["metadata"] = {"pattern": r"\S", "description": f"{told} {NAME_RULES}".strip()}
        super().__init__(1, high, **kwargs)

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any) -> Any:
        """Normalise a name. Reject invisible or misleading characters, because other people see the name."""
        try:
            return read_name(super()._deserialize(value, attr, data, **kwargs))
        except structs.UnfitError as unfit:
            raise ma.ValidationError([unfit.fault]) from None


class Choice(DescribedField, fields.String):
    """A string from a fixed set of choices."""

    default_error_messages = _faults(invalid="not-string")

    def __init__(self, choices: Iterable[str], **kwargs: Any) -> None:
        super().__init__(validate=OneOf(list(choices)), **kwargs)


class Flag(DescribedField, fields.Boolean):
    """A boolean. In a query it is the word `true` or `false`."""

    default_error_messages = _faults(invalid="not-boolean")

    def deserialize(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        """Return the parsed value. If the value is null and the field allows null, return the field's default."""
        found = super().deserialize(value, *args, **kwargs)
        return self.load_default if found is None else found

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any) -> Any:
        """Accept only true and false. Without this method, marshmallow would also accept values such as 1 and "yes"."""
        literals: dict[object, bool] = {"true": True, "false": False} if isinstance(self.root, Query) else {}
        if isinstance(value, bool):
            return value
        if isinstance(value, str) and value in literals:
            return literals[value]
        raise self.make_error("invalid", input=value)


class Rows(DescribedField, fields.List[Any]):
    """A field whose value is a list. The number of items must be at least `low` and at most `high`.

    If `bound` names a setting in `Limits`, the setting replaces `high`.
    """

    default_error_messages = _faults(invalid="not-list")

    def __init__(self, inner: Any, low: int, high: int, *, bound: str = "", **kwargs: Any) -> None:
        super().__init__(inner, validate=Length("items", low, high), **kwargs)
        self.low, self.high, self.bound = low, high, bound

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any) -> list[Any]:
        """Check the number of items, and then parse the items.

        After more than MAX_FAULTS faults, stop, because a list with very many faults would otherwise take much time.
        """
        if type(value) is not list:
            raise self.make_error("invalid")
        high = getattr(current_context().settings.limits, self.bound) if self.bound else self.high
        Length("items", self.low, high)(value)
        found, messages, count = [], dict[int | str, Any](), 0
        for index, item in enumerate(value):
            try:
                found.append(self.inner.deserialize(item, **kwargs))
            except ma.ValidationError as error:
                messages[index] = error.messages
                count += len(faults(error.messages))
                if count > MAX_FAULTS:
                    break
        if messages:
            raise ma.ValidationError(messages)
        return found


class Entries(Rows):
    """A very long list.

    When the request body is parsed, each item stays JSON text. The field `inner` parses this text later.
    """

    def __init__(self, inner: Any, kind: type[Entry], high: int, *, bound: str, **kwargs: Any) -> None:
        super().__init__(inner, 1, high, bound=bound, **kwargs)
        self.entries = EntryList(kind, bound)


class Within(DescribedField, fields.Nested):
    """A nested object with its own schema."""

    default_error_messages = _faults(type="not-object")


class Payload(DescribedField):
    """A value of the type `kind`. Usually, msgspec parses the value.

    If `read` is given, the function `read` parses the value instead of msgspec. It raises UnfitError if the value is
    invalid. `parts` contains the struct types that the schema of `kind` uses.
    """

    default_error_messages = _faults()

    def __init__(
        self, kind: Any, read: Callable[[Any], Any] | None = None, parts: tuple[type, ...] = (), **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.kind, self.parts = kind, parts
        self._read = read or partial(structs.read, kind=kind)

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any) -> Any:
        checkpoint()
        try:
            return self._read(value)
        except structs.UnfitError as unfit:
            raise ma.ValidationError([unfit.fault]) from None


class Range(validate.Range):
    """Limits of a number. A number outside them is reported as a `Fault`."""

    def __call__(self, value: Any) -> Any:
        if not self.min <= value <= self.max:
            raise ma.ValidationError([Fault("", "out-of-range", {"low": self.min, "high": self.max})])
        return value


class Length(validate.Length):
    """Limits on the length of a value. A length outside them is reported as a `Fault`."""

    def __init__(self, reason: str, low: int, high: int) -> None:
        super().__init__(low, high)
        self.reason = reason

    def __call__(self, value: Any) -> Any:
        if not self.min <= len(value) <= self.max:  # type: ignore[operator]
            raise ma.ValidationError([Fault("", self.reason, {"low": self.min, "high": self.max})])
        return value


class Pattern(validate.Regexp):
    """A regular expression. A string that does not match it is reported as a `Fault`."""

    def __call__(self, value: Any) -> Any:
        if self.regex.fullmatch(value) is None:
            raise ma.ValidationError([Fault("", "pattern")])
        return value


class OneOf(validate.OneOf):
    """A set of allowed values. Any other value is reported as a `Fault`."""

    def __call__(self, value: Any) -> Any:
        if value not in self.choices:
            raise ma.ValidationError([Fault("", "choice", {"choices": ", ".join(map(str, self.choices))})])
        return value


def faults(messages: Any, place: str = "body", pointer: str = "") -> list[Fault]:
    """Convert the nested error messages of marshmallow to a list of faults with JSON pointers."""
    if isinstance(messages, Fault):
        return [replace(messages.below(pointer), place=place)]
    if isinstance(messages, str):
        return [Fault.with_text(pointer, messages, place=place)]
    if isinstance(messages, list):
        return [fault for message in messages for fault in faults(message, place, pointer)]
    found = []
    for key, below in messages.items():
        deeper = pointer if key == "_schema" else f"{pointer}/{structs.escaped(str(key))}"
        found += faults(below, place, deeper)
    return found
