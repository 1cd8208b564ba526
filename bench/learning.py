"""The page about the example that learns: `bench learning` draws the curve of a run of `learn.py`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from bench import parts

if TYPE_CHECKING:
    from matplotlib.axes import Axes

RUN: Final = parts.HERE / "results" / "learning"
PAGE: Final = parts.ROOT / "docs" / "benchmarks" / "learning.md"
TITLE: Final = "Share of wins in Der Hohe Rat with two seats, by steps of the learner"
HALF: Final = 0.5
"""The share of a player that is as good as its opponent."""


def curve(rows: list[dict[str, Any]]) -> str:
    """Draw the share of wins against each level by the learner's steps."""
    from matplotlib.ticker import PercentFormatter  # noqa: PLC0415 -- the library for plots takes a second

    from bench.plots import COLOURS, drawing  # noqa: PLC0415 -- as above

    def draw(axes: Axes) -> None:
        for level, colour in zip(("easy", "random"), COLOURS.bots, strict=False):
            points = [(row["steps"], row[level]) for row in rows]
            axes.plot(*zip(*points, strict=True), label=f"against {level}", color=colour, marker="o", markersize=3)
        axes.axhline(HALF, color=COLOURS.faint, linewidth=0.8)
        axes.set(xlabel="steps", ylim=(0, 1.02))
        axes.yaxis.set_major_formatter(PercentFormatter(1))
        axes.grid(visible=True, color=COLOURS.grid)
        axes.legend(frameon=False, fontsize=8)

    return drawing(TITLE, 4.0, draw)


def document(rows: list[dict[str, Any]], results: list[dict[str, Any]]) -> str:
    """Return the page of a run: the lines of its curve, and the final games."""
    last = rows[-1]
    final = [
        f"| `{found['level']}` | {found['games']} | {found['share']:.1%} | {found['low']:.1%} to {found['high']:.1%} |"
        for found in results
    ]
    steps = [f"| {row['steps']:,} | {row['cpu_seconds']:,} | {row['random']:.0%} | {row['easy']:.0%} |" for row in rows]
    return "\n".join(
        [
            "# A network that learns Der Hohe Rat",
            "",
            "Written by `python3 dev.py bench learning` from a run of the",
            "[example](../../clients/pettingzoo/examples/learn.py). The example trains a network with two hidden",
            "layers of 128 units by PPO with action masks (MaskablePPO of `sb3-contrib`). The network plays at 128",
            "tables with two seats at the same time. It has the first seat at half of the tables, and the second",
            "seat at the others. The opponents are earlier states of the network and random players.",
            "",
            "At the end of a game, the network's share of the win determines its reward. Each step also gives a",
            "reward: the change of the chance to win, as our hand-made evaluation `greedy` estimates it. These",
            "additional rewards do not change which policy is best. They exist only in training, and the estimate",
            "uses the whole table. The network itself sees only the observation of its seat.",
            "",
            "```sh",
            'pip install "./clients/games[learners]" ./clients/pettingzoo sb3-contrib torch',
            "python clients/pettingzoo/examples/learn.py train --folder runs/hoher-rat --minutes 60",
            "python clients/pettingzoo/examples/learn.py evaluate --folder runs/hoher-rat --games 400",
            "```",
            "",
            "`train` continues from the last checkpoint in its folder.",
            "",
            f"The run below took {last['cpu_seconds'] / 60:.0f} CPU minutes on one core. In this time, the network",
            f"took {last['steps']:,} actions (steps). After the training, the network played against bots. It always",
            "took its most probable action, and it played half of the games in each of the two seats:",
            "",
            "| opponent | games | share of wins | 95 % interval |",
            "|---|---:|---:|---:|",
            *final,
            "",
            f"![{TITLE}](learning.svg)",
            "",
            "The picture and the table show the share of wins during training. Each share against `random` is from",
            "120 games, and each share against `easy` is from 40 games. So the 95 % interval of a share against",
            "`easy` extends up to 15 percentage points to each side.",
            "",
            "| steps | CPU seconds | against `random` | against `easy` |",
            "|---:|---:|---:|---:|",
            *steps,
            "",
        ]
    )


@click.command("learning")
@click.option(
    "--folder",
    type=click.Path(exists=True, path_type=Path),
    default=RUN,
    help="folder with curve.jsonl and evaluation.json of a run",
)
def command(folder: Path) -> None:
    """Write docs/benchmarks/learning.md and its curve from a run of the example."""
    rows = [json.loads(line) for line in (folder / "curve.jsonl").read_text().splitlines()]
    results = json.loads((folder / "evaluation.json").read_text())
    PAGE.write_text(document(rows, results))
    PAGE.with_suffix(".svg").write_text(curve(rows))


if __name__ == "__main__":
    command()
