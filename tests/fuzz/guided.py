"""Fuzzing of readers, guided by the coverage of the project's Python: `python3 dev.py fuzz --minutes 60`.

Runs in a process of its own, whose modules are instrumented as they are imported. An input that breaks a reader is
written to the folder of findings, once for each place, and the run continues. An input that takes too long ends it.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import time
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any, Final

import atheris
import redis

with atheris.instrument_imports(include=["games", "service"]):
    from tests.fuzz.mutants import mutant
    from tests.fuzz.readers import Finding, Readers, asks_of
    from tests.fuzz.seeds import seeds

INPUT_SECONDS: Final = 30
"""More than an input may take on a machine however busy."""

MEMORY_MEGABYTES: Final = 2_048
REPORT_SECONDS: Final = 60.0
MAX_CHANGES: Final = 3


def changed(given: Any, choice: Random) -> Any:
    if choice.random() < 0.1:
        return {**given, "ask": choice.choice(asks_of(given["reader"]))}
    kept = {name: given[name] for name in ("reader", "ask")}
    for _ in range(choice.randint(1, MAX_CHANGES)):
        part = {name: value for name, value in given.items() if name not in kept}
        given = {**kept, **(mutant(part, choice) if part else {})}
    return given


class Fuzzing:
    def __init__(self, readers: Readers, findings: Path) -> None:
        self._readers, self._folder = readers, findings
        self.places: Counter[str] = Counter()
        self._read, self._began = 0, time.monotonic()
        self._told = self._began

    def try_input(self, data: bytes) -> None:
        try:
            given = json.loads(data)
        except (ValueError, RecursionError):
            return
        if not isinstance(given, dict):
            return
        found = self._readers.read(given)
        self._read += 1
        if found is not None:
            self._keep(found, data)
        if time.monotonic() > self._told + REPORT_SECONDS:
            self._told = time.monotonic()
            self.tell()

    def _keep(self, found: Finding, data: bytes) -> None:
        self.places[found.place] += 1
        if self.places[found.place] == 1:
            name = hashlib.sha256(found.place.encode()).hexdigest()[:12]
            (self._folder / f"{name}.json").write_bytes(data)
            (self._folder / f"{name}.txt").write_text(f"{found.place}\n{found.text}\n", "utf-8")
            say(f"{found.place}, see {self._folder / name}.txt")

    def tell(self) -> None:
        seconds = time.monotonic() - self._began
        rate = self._read / max(seconds, 1)
        say(f"{self._read} inputs in {seconds / 60:.1f} minutes, {rate:.0f}/s, {len(self.places)} findings")


def mutated(data: bytes, most: int, seed: int) -> bytes:
    try:
        given = json.loads(data)
        made = json.dumps(changed(given, Random(seed)), separators=(",", ":")).encode()
    except (ValueError, KeyError, TypeError, IndexError):
        return data
    return made if len(made) <= most else data


def main() -> None:
    """Fuzz until the minutes are over. Findings lie in the folder, for libFuzzer ends without our handlers."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--redis", required=True)
    parser.add_argument("--minutes", type=float, required=True)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--folder", type=Path, required=True)
    wanted = parser.parse_args()
    corpus, findings = wanted.folder / "corpus", wanted.folder / "findings"
    for folder in (corpus, findings):
        folder.mkdir(parents=True, exist_ok=True)
    readers, client = Readers(wanted.redis), redis.Redis.from_url(wanted.redis)
    number = 0
    for number, given in enumerate(seeds(readers, client), 1):
        (corpus / f"seed-{number:04}.json").write_bytes(json.dumps(given, separators=(",", ":")).encode())
    say(f"{number} seeds")
    fuzzing = Fuzzing(readers, findings)
    options = [
        *(f"-max_total_time={round(60 * wanted.minutes)}", f"-seed={wanted.seed}", f"-timeout={INPUT_SECONDS}"),
        *(f"-rss_limit_mb={MEMORY_MEGABYTES}", "-max_len=1000000", "-len_control=0", "-verbosity=0"),
        f"-artifact_prefix={findings}/",
    ]
    atheris.Setup([sys.argv[0], *options, str(corpus)], fuzzing.try_input, custom_mutator=mutated)
    atheris.Fuzz()


def say(text: str) -> None:
    sys.stdout.write(f"{time.strftime('%H:%M:%S')} fuzz: {text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
