"""Loads and runs Lua scripts. The script files are in the same folders as the modules that run them."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from functools import cache
from importlib.resources import files
from typing import Any

from redis import Redis
from redis.commands.core import Script
from redis.exceptions import NoScriptError, RedisError

from service.store.clients import exchange

Call = tuple[Sequence[str], Sequence[Any]]
"""The keys and the arguments of a script."""


@cache
def script(name: str, package: str = "service.store") -> str:
    return (files(package) / f"{name}.lua").read_text("utf-8")


def run_each(client: Redis, run: Script, calls: Sequence[Call]) -> list[Any]:
    """Run a script once for each item of `calls`, in one exchange with Redis.

    Return the result or the exception of each run.
    """
    if len(calls) < 2:  # noqa: PLR2004 -- a single run needs no pipeline
        return [_try(run, call) for call in calls]
    try:
        found = exchange(client, [("EVALSHA", run.sha, len(keys), *keys, *args) for keys, args in calls])
    except RedisError as problem:
        return [copy(problem) for _ in calls]
    # A store that lacks the script has done nothing.
    return [
        _try(run, call) if isinstance(answer, NoScriptError) else answer
        for call, answer in zip(calls, found, strict=True)
    ]


def _try(run: Script, call: Call) -> Any:
    try:
        return run(keys=call[0], args=call[1])
    except RedisError as problem:
        return problem
