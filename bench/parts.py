"""The probes of `python3 dev.py bench`, and the comparisons between them."""

from __future__ import annotations

import os
import statistics
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import msgspec

from bench.environment import Missing, provide, provide_node, simple_council
from bench.rounds import Figures, Probe
from games.core.registry import registered

HERE: Final = Path(__file__).resolve().parent
ROOT: Final = HERE.parent

C_LOOP: Final = "plain C, simplified hoher-rat, 2 seats"
YARDSTICK: Final = "hoher-rat, 2 seats"
"""The game that the peers are compared with; the C loop is a simplification of it."""

CALLS_SHARE: Final = 0.25
"""Single calls are measured for this part of the time of a playout, each."""

CATANATRON: Final = (2, 4)
OPEN_SPIEL: Final = (
    "hearts",
    "skat",
    "gin_rummy",
    "oh_hell",
    "crazy_eights",
    "backgammon",
    "connect_four",
    "tic_tac_toe",
)

RLCARD: Final = ("doudizhu", "mahjong", "uno", "gin-rummy", "leduc-holdem")
PETTINGZOO: Final = ("hanabi_v5", "texas_holdem_v4", "leduc_holdem_v4", "connect_four_v3", "tictactoe_v3")

ISMCTS: Final = ("hearts", "oh_hell", "gin_rummy", "leduc_poker")
"""Games in which OpenSpiel offers its information-set search."""

BOARDGAME_IO: Final = "boardgame.io MCTS, tic-tac-toe"

PLAIN_BAR: Final = 20.0
C_BAR: Final = 0.6
CLONE_BAR: Final = 0.3


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """One number to judge by: a ratio or a time, and the bar it should reach or stay below, if there is one."""

    name: str
    median: float
    best: float
    bar: float | None = None
    below: bool = False

    def met(self) -> bool | None:
        """Return whether the median is on the right side of the bar; None without one."""
        if self.bar is None:
            return None
        return self.median < self.bar if self.below else self.median >= self.bar


def titles() -> Iterator[tuple[str, str, int]]:
    """Yield every registered game with each of its numbers of seats: a name, the slug, the seats."""
    for slug, game in registered().items():
        for seats in game.seat_numbers:
            yield f"{slug}, {seats} seats", slug, seats


def kernel_probes(compiled: Path, seconds: float) -> list[Probe]:
    """Return random play by both kernels and single calls by the compiled one, for every game and number of seats."""
    probes = []
    for name, slug, seats in titles():
        part = seconds * CALLS_SHARE
        measured = [("compiled", "play", seconds), ("plain", "play", seconds), ("compiled", "calls", part)]
        if not registered()[slug].advised:  # whose bots do not search
            measured.append(("compiled", "search", part))
        for kernel, what, share in measured:
            path = [str(ROOT)] if kernel == "plain" else [str(compiled), str(ROOT)]
            options = ("--kernel", kernel, "--game", slug, "--seats", str(seats), "--seconds", str(share))
            command = [sys.executable, "-P", "-m", "bench.kernel", what, *options]
            label = f"{name}, {kernel if what == 'play' else what}"
            probes.append(Probe(label, command, {"PYTHONPATH": os.pathsep.join(path)}))
    return probes


def c_probe(folder: Path, seconds: float) -> Probe:
    """Return the loop in plain C, compiled into a folder; raise Missing."""
    return Probe(C_LOOP, [str(simple_council(folder)), str(seconds)])


def peer_probes(seconds: float, say: Callable[[str], None]) -> tuple[list[Probe], dict[str, str]]:
    """Return the peers that this machine can have, and why not for the others."""
    probes: list[Probe] = []
    skipped: dict[str, str] = {}
    wanted = {
        "catanatron": ("catanatron_random.py", tuple(f"{players}" for players in CATANATRON)),
        "open-spiel": ("open_spiel_random.py", OPEN_SPIEL),
        "rlcard": ("rlcard_random.py", RLCARD),
        "pettingzoo": ("pettingzoo_random.py", PETTINGZOO),
    }
    for peer, (program, cases) in wanted.items():
        try:
            python = provide(peer)
        except Missing as problem:
            skipped[peer] = str(problem)
            say(f"skipped: {peer} cannot be installed: {problem}")
            continue
        script = str(HERE / "peers" / program)
        # The peers see nothing of ours.
        alone = {"PYTHONPATH": ""}
        probes += [Probe(f"{peer} {case}", [str(python), script, case, str(seconds)], alone) for case in cases]
    return probes, skipped


def search_probes(seconds: float, build: Path, say: Callable[[str], None]) -> tuple[list[Probe], dict[str, str]]:
    """Return the peers' searches that this machine can have, and why not for the others."""
    probes: list[Probe] = []
    skipped: dict[str, str] = {}
    alone = {"PYTHONPATH": ""}
    try:
        python, script = str(provide("open-spiel")), str(HERE / "peers" / "open_spiel_ismcts.py")
        probes += [Probe(f"ismcts {game}", [python, script, game, str(seconds)], alone) for game in ISMCTS]
    except Missing as problem:
        skipped["open-spiel ismcts"] = str(problem)
    try:
        folder = provide_node("boardgame_io", build)
        probes.append(Probe(BOARDGAME_IO, ["node", str(folder / "search.js"), str(seconds)]))
    except Missing as problem:
        skipped[BOARDGAME_IO] = str(problem)
    for name, reason in skipped.items():
        say(f"skipped: {name} cannot be installed: {reason}")
    return probes, skipped


def comparisons(figures: Figures) -> list[Comparison]:
    """Compare what was measured: the kernel with itself, with C, with its bars, and with every peer."""
    rate = "moves_per_second"
    found = []
    for name, _, _ in titles():
        label = f"{name}: compiled / plain"
        found += ratio(figures, label, (f"{name}, compiled", rate), (f"{name}, plain", rate), PLAIN_BAR)
    ours = (f"{YARDSTICK}, compiled", rate)
    found += ratio(figures, f"{YARDSTICK}: compiled / plain C (simplified)", ours, (C_LOOP, rate), C_BAR)
    for name, _, _ in titles():
        probe = f"{name}, calls"
        if figures.rounds(probe, "clone_us"):
            median, best = figures.median(probe, "clone_us"), figures.best(probe, "clone_us")
            found.append(Comparison(name=f"{name}: clone, µs", median=median, best=best, bar=CLONE_BAR, below=True))
    found += searches(figures)
    for players in CATANATRON:
        ours_too = (f"hoher-rat, {players} seats, compiled", rate)
        label = f"hoher-rat, {players} seats / Catanatron, {players} random players"
        found += ratio(figures, label, ours_too, (f"catanatron {players}", rate))
    for game in OPEN_SPIEL:
        found += ratio(figures, f"{YARDSTICK} / OpenSpiel {game} from Python", ours, (f"open-spiel {game}", rate))
        cpp = (f"open-spiel {game}", f"cpp_{rate}")
        found += ratio(figures, f"{YARDSTICK} / OpenSpiel {game} all in C++", ours, cpp)
    for peer, label, games in (("rlcard", "RLCard", RLCARD), ("pettingzoo", "PettingZoo", PETTINGZOO)):
        for game in games:
            found += ratio(figures, f"{YARDSTICK} / {label} {game}", ours, (f"{peer} {game}", rate))
    return found


def searches(figures: Figures) -> list[Comparison]:
    """Compare our textbook's search, whose iterations are like the peers', with theirs."""
    rate = "iterations_per_second"
    ours = (f"{YARDSTICK}, search", f"textbook_{rate}")
    found = []
    for game in ISMCTS:
        found += ratio(
            figures, f"{YARDSTICK}, textbook search / OpenSpiel ISMCTS {game}", ours, (f"ismcts {game}", rate)
        )
    return found + ratio(figures, f"{YARDSTICK}, textbook search / {BOARDGAME_IO}", ours, (BOARDGAME_IO, rate))


def ratio(
    figures: Figures, name: str, one: tuple[str, str], other: tuple[str, str], bar: float | None = None
) -> list[Comparison]:
    """Return the ratio of two figures, taken round by round, or nothing if one was not measured."""
    pairs = list(zip(figures.rounds(*one), figures.rounds(*other), strict=False))
    if not pairs:
        return []
    median = statistics.median(a / b for a, b in pairs)
    return [Comparison(name=name, median=median, best=figures.best(*one) / figures.best(*other), bar=bar)]
