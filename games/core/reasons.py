"""Reasons for the value of a move: the continuation, the gains, the risks and the confidence, as data and sentences.

`games.search.explain` finds them in the trace of a search, and a game's own adviser may find them itself.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from importlib.resources import files
from math import hypot
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

from games.core.texts import LANGUAGES, Texts, filled

if TYPE_CHECKING:
    from games.core.game import Game, View

Names = Mapping[str, Sequence[str]]
"""The names of the seats in each language."""

CLOSE: Final = 0.01
CLOSE_MARGIN: Final = 0.03
"""Maximum difference of two values, and maximum half-width of its interval, with which two moves count as equal."""

MIN_DIFFERENCE: Final = 0.005
"""Minimum difference of two values that has reasons."""

NAMED: Final = 0.6
"""Minimum part of a difference that the named gains carry. They are sums of linear parts, and an evaluation is not
linear. So this part is above one half, which has to remain if the evaluation is recomputed."""

MAX_GAINS: Final = 5

MAX_PLAIN_GAINS: Final = 4_096
"""Number of sentences without an amount that are kept."""

COUNTERWEIGHT: Final = 0.5
"""A gain of the worse move is named if it is at least this part of the difference."""

OUTCOME: Final = "outcome"
"""The gain that games which end within the continuation bring."""


@dataclass(frozen=True, slots=True)
class Group:
    """Terms of an evaluation that a reader sees as one gain, by their places in a party's terms.

    `amount` is the place whose difference is a natural quantity, in the unit of `Game.units`. Without one the gain has
    no amount. With `percent` the amount is a probability.
    """

    code: str
    terms: tuple[int, ...]
    amount: int | None = None
    percent: bool = False


class Gain(NamedTuple):
    """The part of a difference between two moves that one group of terms of one party carries.

    `seats` are the party's seats. `amount` is the difference of the party's quantity; `better` is whether the party is
    better off. `value` is the part in winning chances of the observer.
    """

    code: str
    seats: list[int]
    amount: float | None
    better: bool
    value: float
    percent: bool = False


class Risk(NamedTuple):
    """A hidden fact that lowers the value of a move: its probability, and the value if it holds and if it does not.

    `margin` is the half-width of the 95 % interval of the difference.
    """

    code: str
    params: dict[str, Any]
    chance: float
    value: float
    otherwise: float
    margin: float


class Reply(NamedTuple):
    """A move of a continuation, with its labels and its frequency among the moves met at this place."""

    seat: int
    code: int
    move: Any
    labels: dict[str, str]
    frequency: float


@dataclass(frozen=True, slots=True)
class Findings:
    """The reasons for one move, compared with another."""

    gains: list[Gain] = field(default_factory=list)
    risks: list[Risk] = field(default_factory=list)
    line: list[Reply] = field(default_factory=list)


FindReasons = Callable[[int, int | None], Findings]
"""The method `findings` of an adviser that finds reasons itself: those for a move, compared with another one."""


class Valued(Protocol):
    """A move with its value, as `games.core.advice.Line`."""

    @property
    def move(self) -> int:
        """Return the move's code."""

    @property
    def mean(self) -> float:
        """Return its value."""

    def margin(self) -> float:
        """Return the half-width of its 95 % interval."""


def confidence(own: Valued, other: Valued | None) -> str:
    """Return the certainty of a search that a move is better or worse than another, by fixed thresholds.

    A `clear` difference exceeds its 95 % interval, a `likely` one half of it. A `close` one is small with certainty.
    Otherwise it is `open`.
    """
    if other is None:
        return "only"
    difference, margin = own.mean - other.mean, hypot(own.margin(), other.margin())
    if abs(difference) <= CLOSE and margin <= CLOSE_MARGIN:
        return "close"
    if abs(difference) <= margin / 2:
        return "open"
    sure = "clear" if abs(difference) > margin else "likely"
    return f"{sure}_better" if difference > 0 else f"{sure}_worse"


CONFIDENCES: Final = ("only", "close", "open", "clear_better", "likely_better", "likely_worse", "clear_worse")


def named(parts: Iterable[Gain], difference: float) -> list[Gain]:
    """Return the fewest parts that carry NAMED of a difference, with the counterweights; none if MAX_GAINS do not."""
    side = 1 if difference > 0 else -1
    ordered = sorted((part for part in parts if part.value), key=lambda part: -side * part.value)
    against = [part for part in ordered if side * part.value <= -COUNTERWEIGHT * abs(difference)]
    found = list[Gain]()
    carried = sum(side * part.value for part in against)
    for part in ordered:
        if carried >= NAMED * abs(difference):
            break
        if side * part.value <= 0:
            return []
        found.append(part)
        carried += side * part.value
    is_enough = carried >= NAMED * abs(difference) and len(found) + len(against) <= MAX_GAINS
    return [*found, *reversed(against)] if is_enough else []


# Sentences.


@cache
def frames(language: str) -> dict[str, str]:
    """Return the templates that all games share."""
    found: dict[str, dict[str, str]] = json.loads((files("games.core") / "reasons.json").read_text("utf-8"))
    return found[language]


@cache
def _confidence_texts(code: str) -> dict[str, str]:
    return {language: frames(language)[code] for language in LANGUAGES}


def voices_of(game: Game, view: View, names: Names | None = None) -> list[Voice]:
    """Return a voice for each language."""
    return [Voice(game, view, language, names[language] if names else None) for language in LANGUAGES]


def reasons_row(voices: Sequence[Voice], own: Valued, other: Valued | None, found: Findings) -> dict[str, Any]:
    """Return the reasons for a move as plain JSON; each has its sentences in all languages as `texts`."""
    difference = 0.0 if other is None else own.mean - other.mean
    sure = confidence(own, other)
    return {
        **({} if other is None else {"against": int(other.move), "difference": round(difference, 6)}),
        "confidence": {"code": sure, "texts": dict(_confidence_texts(sure))},
        "gains": [
            {
                "code": gain.code,
                "seats": gain.seats,
                **({} if gain.amount is None else {"amount": round(gain.amount, 4)}),
                "better": gain.better,
                "value": round(gain.value, 6),
                "share": round(gain.value / difference, 4) if difference else 0.0,
                "texts": {voice.language: voice.gain(gain) for voice in voices},
            }
            for gain in found.gains
        ],
        "risks": [
            {
                "code": risk.code,
                "params": risk.params,
                "chance": round(risk.chance, 4),
                "value": round(risk.value, 6),
                "otherwise": round(risk.otherwise, 6),
                "margin": round(risk.margin, 6),
                "texts": {voice.language: voice.risk(risk) for voice in voices},
            }
            for risk in found.risks
        ],
        "line": [
            {
                "seat": reply.seat,
                "code": reply.code,
                "move": reply.move,
                "frequency": round(reply.frequency, 4),
                "labels": reply.labels,
            }
            for reply in found.line
        ],
    }


@lru_cache(MAX_PLAIN_GAINS)
def _plain_gain(
    texts: Texts, language: str, names: tuple[str, ...], who: str, what: str, seats: tuple[int, ...], *, better: bool
) -> str:
    said, words = frames(language), texts.sections[language]["words"]
    party = filled(said[f"{who}:for"], {"seats": [*seats]}, words, names, language)
    return filled(said["plain"], {"who": party, "what": what, "more": True if better else None}, words, names, language)


class Voice:
    """Says reasons in one language to the seat of a view."""

    def __init__(self, game: Game, view: View, language: str, names: Sequence[str] | None) -> None:
        """Take the game, the view, the language and the seats' names, if they have others than the game's."""
        self.game, self.view, self.language = game, view, language
        self.names = tuple(names or game.seat_names(view.seats, language))
        self.frames = frames(language)
        self.words: dict[str, str] = game.texts.sections[language]["words"]

    def gain(self, gain: Gain) -> str:
        """Return the sentence of a gain."""
        nouns = self.game.texts.sections[self.language].get("gains", {})
        what = nouns.get(gain.code, self.frames.get(gain.code, gain.code))
        own = self.view.seat in gain.seats
        who = "team" if own and len(gain.seats) > 1 else "own" if own else "other"
        amount = "" if gain.amount is None else self._number(abs(gain.amount), percent=gain.percent)
        counted = amount.strip("0.,") != "" and gain.amount is not None and (gain.amount > 0) == gain.better
        if not counted:
            place = self.game.texts, self.language, self.names
            return _plain_gain(*place, who, what[:1].upper() + what[1:], tuple(gain.seats), better=gain.better)
        party = self._fill(f"{who}:has", seats=gain.seats)
        style = "percent" if gain.percent else "count"
        return self._fill(style, who=party, what=what, amount=amount, more=True if gain.better else None)

    def risk(self, risk: Risk) -> str:
        """Return the sentence of a risk."""
        fact = self.game.say_fact(risk.code, risk.params, self.language, self.names, self.game.texts)
        numbers = {"chance": risk.chance, "value": risk.value, "otherwise": risk.otherwise}
        percents = {name: str(round(100 * number)) for name, number in numbers.items()}
        return self._fill("risk", fact=fact, **percents)

    def _fill(self, key: str, **params: object) -> str:
        return filled(self.frames[key], params, self.words, self.names, self.language)

    def _number(self, amount: float, *, percent: bool) -> str:
        if percent:
            return str(round(100 * amount))
        whole = round(amount, -1) if amount >= 100 else amount
        text = f"{whole:,.0f}" if whole >= 10 else f"{whole:.1f}"
        return text if self.language == "en" else text.translate(str.maketrans(",.", ".,"))
