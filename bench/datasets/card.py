"""The card of a dataset, `README.md` with the front matter of Hugging Face, and its `metadata.json`."""

from __future__ import annotations

import hashlib
import json
import shlex
from collections import Counter
from pathlib import Path
from typing import Any, Final

import msgspec
from dorfplatz_games.datasets import COLUMNS, RESULTS, SPLITS, Column, fields_of
from dorfplatz_games.learners import learner

from bench.datasets.plan import DatasetPlan
from bench.datasets.shards import Goal, Summaries, positions_of, results_of
from games.core.levels import Level

METADATA_FILE: Final = "metadata.json"
CARD_FILE: Final = "README.md"

SIZE_BOUNDS: Final = {
    1_000: "n<1K",
    10_000: "1K<n<10K",
    100_000: "10K<n<100K",
    1_000_000: "100K<n<1M",
    10_000_000: "1M<n<10M",
    100_000_000: "10M<n<100M",
    1_000_000_000: "100M<n<1B",
    10_000_000_000: "1B<n<10B",
}
"""Hugging Face's categories of sizes by the number of rows that ends them."""


def write_begun(plan: DatasetPlan, folder: Path, goal: Goal) -> None:
    """Write the metadata of a dataset that is not complete."""
    _replace(folder / METADATA_FILE, _json({"complete": False, "goal": _goal(goal), "plan": plan.described()}))


def write_complete(plan: DatasetPlan, folder: Path, goal: Goal, found: list[Summaries]) -> dict[str, Any]:
    """Write the metadata and the card of a complete dataset, and return the metadata."""
    metadata = describe(plan, folder, goal, found)
    _replace(folder / CARD_FILE, card(plan, metadata))
    _replace(folder / METADATA_FILE, _json(metadata))
    return metadata


def describe(plan: DatasetPlan, folder: Path, goal: Goal, found: list[Summaries]) -> dict[str, Any]:
    """Return the metadata: the plan, numbers of games and rows, results, every file's SHA-256, and the observation."""
    files = []
    for number, shard in enumerate(found):
        for split in sorted(shard):
            path = plan.shard(number).path(split)
            content = (folder / path).read_bytes()
            files.append(
                {
                    "path": path,
                    "split": split,
                    "games": len(shard[split].results),
                    "positions": shard[split].positions,
                    "rows": shard[split].rows,
                    "bytes": len(content),
                    "sha256": hashlib.sha256(content).hexdigest(),
                }
            )
    tally = plan.tally()
    for result in results_of(found):
        tally.played(result)
    by_bot = sum((Counter(summary.bots) for shard in found for summary in shard.values()), Counter[str]())
    return {
        "complete": True,
        "goal": _goal(goal),
        "plan": plan.described(),
        "games": tally.games,
        "positions": positions_of(found),
        "rows": sum(file["rows"] for file in files),
        "rows_by_bot": dict(sorted(by_bot.items())),
        "results": {name: value for name, value in tally.summary().items() if name not in {"kind", "seed", "games"}},
        "files": files,
        "observation": [
            {"first_bit": first, "bits": field.width, "field": field.name, "kind": field.kind, "meaning": field.meaning}
            for first, field in fields_of(learner(plan.game.slug, len(plan.bots)))
        ],
    }


def command(plan: DatasetPlan, goal: Goal) -> str:
    """Return the command that writes the dataset."""
    wanted = f"--positions {goal.positions}" if goal.games is None else f"--games {goal.games}"
    bots = ",".join(dict.fromkeys(bot.name for bot in plan.bots))
    if len({bot.name for bot in plan.bots}) > 1:
        bots = ",".join(bot.name for bot in plan.bots)
    views = "" if plan.views else " --no-views"
    return (
        f"python3 dev.py dataset --game {plan.game.slug} --seats {len(plan.bots)} --bots {bots} {wanted} "
        f"--seed {shlex.quote(plan.seed)} --values {plan.values} --shard-size {plan.shard_games}{views} --out FOLDER"
    )


def card(plan: DatasetPlan, metadata: dict[str, Any]) -> str:
    """Return the card."""
    goal = msgspec.convert(metadata["goal"], Goal)
    title = plan.game.texts.say("en", "names", "title")
    seats = len(plan.bots)
    names = ", ".join(dict.fromkeys(bot.name for bot in plan.bots))
    shown = [column for column in COLUMNS if plan.views or column.name != "view"]
    return "\n".join(
        [
            *_front_matter(f"{title}, {seats} seats, {names}", metadata),
            f"# {title}: games of bots with {seats} seats",
            "",
            f"{metadata['games']:,} games of {title} between bots, with {metadata['positions']:,} decisions among",
            "several moves. Each row has the knowledge of the seat that moves, its legal actions, its move, the values",
            "of a search, and the result of the game. The rows suit imitation learning, value learning and offline",
            "reinforcement learning under imperfect information.",
            "",
            *_splits(metadata),
            "## Columns",
            "",
            "A row is one action. A move that takes several actions has a row for each. Observations and actions are",
            "those of the learners' environments of `dorfplatz-games`. `metadata.json` explains each bit of an",
            "observation.",
            "",
            *_columns(shown),
            "",
            "These columns are the result of the game. The seat does not know them when it moves:",
            "",
            *_columns(RESULTS),
            "",
            *_making(plan, command(plan, goal), metadata),
            *_statistics(metadata),
            *_limits(plan),
            "## Load",
            "",
            "```python",
            "from dorfplatz_games.datasets import Dataset",
            "",
            'for batch in Dataset(".").batches("train", size=1024, seed=0):',
            "    print(batch.observations.shape, batch.masks.shape, batch.policies.shape, batch.rewards.shape)",
            "    break",
            "```",
            "",
            "The extra `datasets` of `dorfplatz-games` has this loader. Every reader of Parquet reads the files, too.",
            "`metadata.json` has the SHA-256 of each file.",
            "",
            "## Licence",
            "",
            "Apache-2.0, like the software that has played the games. The games themselves are the work of",
            f"{' and '.join(plan.game.authors)}. The data have no text and no picture of their components.",
            "",
        ]
    )


def _front_matter(name: str, metadata: dict[str, Any]) -> list[str]:
    splits = sorted({file["split"] for file in metadata["files"]}, key=SPLITS.index)
    rows = metadata["rows"]
    size = next(size for bound, size in SIZE_BOUNDS.items() if rows < bound)
    return [
        "---",
        "license: apache-2.0",
        f"pretty_name: {json.dumps(name, ensure_ascii=False)}",
        "task_categories:",
        "- reinforcement-learning",
        "tags:",
        "- board-games",
        "- games",
        "- imperfect-information",
        "- offline-reinforcement-learning",
        "- dorfplatz",
        "size_categories:",
        f"- {size}",
        "configs:",
        "- config_name: default",
        "  data_files:",
        *(line for split in splits for line in (f"  - split: {split}", f"    path: data/{split}-*.parquet")),
        "---",
        "",
    ]


def _splits(metadata: dict[str, Any]) -> list[str]:
    rows = []
    for split in SPLITS:
        files = [file for file in metadata["files"] if file["split"] == split]
        sums = [sum(file[name] for file in files) for name in ("games", "positions", "rows", "bytes")]
        rows.append(f"| `{split}` | {len(files):,} | {' | '.join(f'{number:,}' for number in sums)} |")
    return [
        "| split | files | games | decisions among several moves | rows | bytes |",
        "|---|---:|---:|---:|---:|---:|",
        *rows,
        "",
        "No game is in two splits, and each game has a deal of its own.",
        "",
    ]


def _columns(columns: tuple[Column, ...] | list[Column]) -> list[str]:
    rows = [f"| `{column.name}` | {column.type} | {column.meaning} |" for column in columns]
    return ["| column | type | meaning |", "|---|---|---|", *rows]


def _making(plan: DatasetPlan, line: str, metadata: dict[str, Any]) -> list[str]:
    described = metadata["plan"]
    sources = {
        "bot": "The values are those of the bot's own search before its move. No second search runs.",
        "none": "There are no values of a search.",
    }
    source = f"A search of {plan.values} iterations values each decision, whatever the bot."
    return [
        "## How it was made",
        "",
        "```sh",
        line,
        "```",
        "",
        f"Dorfplatz {described['version']} played by the ruleset `{described['ruleset']}`. The sources of its kernel",
        f"have the fingerprint `{described['kernel']}`. With them and pyarrow {described['pyarrow']}, this command",
        "writes the same bytes. The options of all games:",
        "",
        "```json",
        json.dumps(described["options"]),
        "```",
        "",
        "| bot | player | rows |",
        "|---|---|---:|",
        *(_bot(plan, bot, metadata) for bot in dict.fromkeys(plan.bots) if isinstance(bot, Level)),
        "",
        "The bots change seats from game to game.",
        sources.get(plan.values, source),
        "",
    ]


def _bot(plan: DatasetPlan, bot: Level, metadata: dict[str, Any]) -> str:
    is_own = bot.name in plan.game.advised
    return f"| `{bot.name}` | {player(bot, advised=is_own)} | {metadata['rows_by_bot'].get(bot.name, 0):,} |"


def player(level: Level, *, advised: bool) -> str:
    """Return the description of a level's player."""
    if advised:
        return "the game's own bot, which samples nothing"
    if level.iterations:
        drawn = f"; a move with v visits weighs v^(1/{level.temperature:g})" if level.temperature else ""
        return f"tree search, {level.iterations:,} iterations, evaluation `{level.worth}`{drawn}"
    if level.worlds:
        return f"looks one ply ahead in at most {level.worlds} deals, evaluation `{level.worth}`"
    return "each legal move with the same probability"


def _statistics(metadata: dict[str, Any]) -> list[str]:
    results, bots = metadata["results"], len(metadata["rows_by_bot"])
    rows = [
        f"| {name} | {count['games']:,} | {count['score']:.3f} | {_points(count)} |"
        for name, count in (
            *((f"seat {row['seat']}", row) for row in results["by_seat"]),
            *((f"bot {number}, `{row['bot']}`", row) for number, row in enumerate(results["bots"]) if bots > 1),
        )
    ]
    plies = results["plies"]
    return [
        "## Statistics",
        "",
        f"A game has {plies['mean']:.1f} moves on average, {plies['shortest']} to {plies['longest']}.",
        "",
        "| | games | mean share of the win | mean points |",
        "|---|---:|---:|---:|",
        *rows,
        "",
    ]


def _points(count: dict[str, Any]) -> str:
    return f"{count['points']['mean']:.1f}" if "points" in count else ""


def _limits(plan: DatasetPlan) -> list[str]:
    own = (
        ["- Riddles are terms of the game's list, never words or figures of a player's own."]
        if plan.game.open_moves
        else []
    )
    options = json.dumps(dict(plan.game.simulated))
    bounds = [f"- The options of simulations, {options}, bound the length of a game."] if plan.game.simulated else []
    return [
        "## Biases and limits",
        "",
        "- All players are bots. People open, bluff and err in other ways.",
        "- The bots of a level choose from few evaluations. Positions that they avoid are rare or missing.",
        "- Values are estimates of the same short searches that chose the moves. They share the evaluation's errors.",
        "- `rewards` is one sample of a game of chance, so single results say little about a decision.",
        "- Rows of one game depend on each other. Split by games, as these files do, never by rows.",
        "- Seats are not equally good; see the statistics.",
        "- Rows with a single legal action are included. The loader leaves them out unless asked.",
        *own,
        *bounds,
        "",
    ]


def _goal(goal: Goal) -> dict[str, Any]:
    found: dict[str, Any] = msgspec.to_builtins(goal)
    return found


def _json(metadata: dict[str, Any]) -> str:
    return json.dumps(metadata, indent=2, ensure_ascii=False) + "\n"


def _replace(file: Path, text: str) -> None:
    part = file.with_name(file.name + ".part")
    part.write_text(text, "utf-8")
    part.replace(file)
