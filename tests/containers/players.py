"""People who play sessions against the containers while something happens to them, judged by the history checker."""

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from random import Random
from typing import Any, Final

from tests.containers.project import Project
from tests.faults.sittings import TABLES, Sitting

RESTLESS_TABLES: Final = tuple(table for table in TABLES if table["game"] != "pebbles")
"""Tables with people, bots, clocks and undo, in games that the image has."""

PAUSE_SECONDS: Final = 2.0


def play_table(project: Project, table: dict[str, Any], choice: Random, victims: Sequence[str]) -> int:
    """Play one session to its end while a container of each service in `victims` is killed; return the kills."""
    return len(play_while(project, [table], choice, [_killing(project, service, choice) for service in victims])[1])


def play_while(
    project: Project, tables: Sequence[dict[str, Any]], choice: Random, disturbances: Sequence[Callable[[], object]]
) -> tuple[int, list[object]]:
    """Play the tables over and over until all disturbances are over, and check every session.

    A session is checked whole: each acknowledged move is in the history once, each stream has each event once, and all
    responses fit one order. The number is that of acknowledged moves; the list has the results of the disturbances.
    """
    acknowledged, over = list[int](), threading.Event()

    def sit(number: int) -> None:
        own = Random(f"{number}/{choice.random()}")
        while True:
            sitting = Sitting(project, tables[number], own)
            sitting.play()
            acknowledged.append(sitting.acknowledged)
            if over.is_set():
                return

    with ThreadPoolExecutor(len(tables)) as pool:
        places = [pool.submit(sit, number) for number in range(len(tables))]
        results = []
        try:
            for disturb in disturbances:
                time.sleep(PAUSE_SECONDS)
                results.append(disturb())
        finally:
            over.set()
        for place in places:
            place.result()
    return sum(acknowledged), results


def _killing(project: Project, service: str, choice: Random) -> Callable[[], object]:
    def kill() -> str:
        victim = choice.choice(project.containers(service))
        project.kill(victim)
        return victim

    return kill
