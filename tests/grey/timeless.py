"""Clients that ignore all times once the store's clock has stepped.

The service shows times by that clock, so a step shifts the shown times of earlier events, too.
"""

import re
from collections.abc import Generator
from dataclasses import replace
from random import Random
from typing import Any, Final

from tests.faults.kit import Answer, Caller
from tests.faults.people import Ear
from tests.faults.sittings import Sitting
from tests.grey.town import GreyTown
from tests.launch.kit import PATIENCE_SECONDS

TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z|a time")


class TimelessCaller(Caller):
    """A caller that hides all times in responses once the store's clock has stepped."""

    def __init__(self, town: GreyTown, port: int, token: str | None, seconds: float) -> None:
        super().__init__(port, token, town.hosts[0], seconds)
        self.town = town

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Answer:
        answer = super().ask(method, path, body, **headers)
        return replace(answer, body=timeless(answer.body)) if self.town.has_stepped else answer


class TimelessEar(Ear):
    """A listener with a `TimelessCaller`."""

    caller: TimelessCaller

    def stop(self) -> None:
        self.ended = "stopped"

    def messages(self, path: str, headers: dict[str, str]) -> Generator[dict[str, Any]]:
        for message in super().messages(path, headers):
            if self.ended:
                return
            yield timeless(message) if self.caller.town.has_stepped else message

    def check(self) -> None:
        if self.caller.town.has_stepped:
            self.told = [timeless(message) for message in self.told]
        super().check()


def timeless(shown: Any) -> Any:
    """Return a JSON value without its times, and without changes of times."""
    match shown:
        case dict():
            return {name: timeless(value) for name, value in shown.items()}
        case list():
            return [
                timeless(value) for value in shown if not (isinstance(value, dict) and _is_time(value.get("value")))
            ]
        case str() if _is_time(shown):
            return "a time"
    return shown


def _is_time(value: Any) -> bool:
    return isinstance(value, str) and TIME.fullmatch(value) is not None


class TimelessSitting(Sitting):
    """A sitting whose listener is a `TimelessEar`."""

    def __init__(self, town: GreyTown, table: dict[str, Any], choice: Random) -> None:
        super().__init__(town, table, choice)
        caller = TimelessCaller(town, town.port, None, PATIENCE_SECONDS)
        caller.bearer = self.ear.caller.bearer
        self.ear = TimelessEar(self.listener, caller, self.ear.path, self.ear.choice)
