"""Datasets: rows of all games, equal bytes from all numbers of processes, interruptions, the card and the loader."""

import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np
import pyarrow.parquet as pq
import pytest
import yaml
from click.testing import CliRunner, Result
from dorfplatz_games.datasets import COLUMNS, RESULTS, Batch, Dataset, schema
from dorfplatz_games.learners import learner

from bench.datasets import shards
from bench.datasets.__main__ import main
from bench.datasets.plan import DatasetPlan
from bench.datasets.recorder import OWN_SEARCH, Recorder, Row, action_values, ranks
from games.core.dice import FastDice
from games.core.game import Game
from games.core.levels import Level, level_of
from games.core.registry import registered
from games.core.table import Table
from games.search.advise import decide
from workers.simulate.batch import Decision

CASES: Final = [(slug, seats) for slug, game in registered().items() for seats in game.seat_numbers]
every_case = pytest.mark.parametrize(("slug", "seats"), CASES)

MOVES: Final = 60
SEARCH_INTERVAL: Final = 7
"""Interval of the decisions that a searching bot makes; the others are random."""

ITERATIONS: Final = 6

COMPARED: Final = 6
"""Number of pairs of rows that are compared in two games, at least."""

COUNCIL: Final = ("--game", "hoher-rat", "--seats", "2", "--bots", "random", "--seed", "7")
GAMES: Final = 11


def plan_of(slug: str, seats: int, level: str = "easy", iterations: int = OWN_SEARCH) -> DatasetPlan:
    game = registered()[slug]
    bots = (level_of(game, level, seats),) * seats
    return DatasetPlan(game, bots, game.options_type(**game.simulated), "test", 1, search_iterations=iterations)


def walk(recorder: Recorder, slug: str, seats: int) -> Iterator[tuple[Table, int, int, list[Row]]]:
    """Play the first moves of a game; yield each table with the seat, its move and its rows, before the move."""
    game, dice = registered()[slug], FastDice(11)
    table = game.new(seats, game.options_type(**game.simulated), dice)
    for number in range(MOVES):
        if not (actors := game.actors(table)):
            return
        seat = actors[number % len(actors)]
        level = level_of(game, "random", seats) if number % SEARCH_INTERVAL else searching(game, seats)
        code, advisor = decide(game, table, seat, level, number)
        yield table, seat, code, list(recorder.rows(table, seat, code, advisor))
        table.apply(seat, code, dice, None)


def searching(game: Game, seats: int) -> Level:
    return replace(level_of(game, "easy", seats), iterations=ITERATIONS)


def unpacked(row: Row) -> list[int]:
    return np.unpackbits(np.frombuffer(row["observation"], np.uint8), bitorder="little").tolist()


@every_case
def test_a_row_is_an_action_of_the_learners_with_its_observation_mask_and_move(slug: str, seats: int) -> None:
    game, learned = registered()[slug], learner(slug, seats)
    searched = 0
    for table, seat, code, rows in walk(Recorder(plan_of(slug, seats)), slug, seats):
        assert [row["step"] for row in rows] == list(range(len(rows)))
        begun: list[int] = []
        for row in rows:
            choices = learned.choices(table, seat, begun)
            assert row["legal"] == sorted(choices)
            assert unpacked(row) == learned.layout.observe(table, seat, begun).tolist()
            begun.append(row["action"])
        assert choices[row["action"]] == code == row["code"]
        assert json.loads(row["move"]) == msgspec.to_builtins(game.decode(table, code))
        assert row["view"].encode() == view_of(game, table, seat)
        assert (row["seat"], row["legal_moves"]) == (seat, len(table.legal(seat)))
        assert row["ply"] == game.view(table, seat).ply
        for row in rows:
            if row["iterations"] is not None:
                searched += 1
                assert_valued(row, seats)
    assert searched


def assert_valued(row: Row, seats: int) -> None:
    assert len(row["values"]) == seats
    assert row["values"][row["seat"]] is not None
    assert all(value is None or 0 <= value <= 1 for value in row["values"])
    assert row["searched"] == sorted(set(row["searched"]))
    assert row["action"] in row["searched"]
    assert set(row["searched"]) <= set(row["legal"])
    assert all(0 <= mean <= 1 for mean in row["means"])
    if row["visits"] is not None:
        assert 0 < sum(row["visits"]) <= row["iterations"]
        assert row["visits"][row["searched"].index(row["action"])] > 0


def view_of(game: Game, table: Table, seat: int) -> bytes:
    return msgspec.json.encode(game.view(table, seat))


@every_case
def test_two_games_that_a_seat_cannot_tell_apart_give_it_equal_rows_until_it_sees_a_difference(
    slug: str, seats: int
) -> None:
    game, recorder = registered()[slug], Recorder(plan_of(slug, seats))
    compared = 0
    for number, table in enumerate([table.clone() for table, *_ in walk(recorder, slug, seats)]):
        seat, other = game.actors(table)[-1], table.clone()
        other.redeal(seat, FastDice(number))
        if compared < COMPARED and game.write(table) != game.write(other):
            compared += compare(game, recorder, (table, other), seat)
    assert compared >= COMPARED or not game.hidden


def compare(game: Game, recorder: Recorder, tables: tuple[Table, Table], seat: int) -> int:
    """Play the same moves at two tables, compare the seat's rows while its views are equal, and count the pairs.

    The seat searches first, and moves at random then.
    """
    level, compared = searching(game, tables[0].seats), 0
    for number in range(8):
        if len({view_of(game, table, seat) for table in tables}) > 1:
            return compared
        mover = next(iter(game.actors(tables[0])), None)
        if mover is None:
            return compared
        if mover == seat:
            codes = []
            rows = []
            for table in tables:
                code, advisor = decide(game, table, seat, level, number)
                codes.append(code)
                rows.append(list(recorder.rows(table, seat, code, advisor)))
            assert rows[0] == rows[1]
            compared += 1
            level, code = level_of(game, "random", tables[0].seats), codes[0]
        else:
            common = sorted(set(game.legal(tables[0], mover)) & set(game.legal(tables[1], mover)))
            if not common:
                return compared
            code = common[number % len(common)]
        for table in tables:
            table.apply(mover, code, FastDice(number), None)
    return compared


def write(folder: Path, *arguments: str) -> Result:
    return CliRunner().invoke(main, [*arguments, "--out", str(folder)])


@pytest.fixture(scope="module")
def council(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a small dataset that this process has written."""
    folder = tmp_path_factory.mktemp("datasets") / "council"
    written = write(folder, *COUNCIL, "--games", str(GAMES), "--shard-size", "4", "--values", "2")
    assert written.exit_code == 0, written.output
    return folder


def contents(folder: Path) -> dict[str, str]:
    files = (file for file in folder.rglob("*") if file.is_file())
    return {str(file.relative_to(folder)): hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


def test_two_processes_write_the_same_bytes_and_continue_after_an_interruption(council: Path, tmp_path: Path) -> None:
    folder = tmp_path / "again"
    arguments = (*COUNCIL, "--games", str(GAMES), "--shard-size", "4", "--values", "2", "--processes", "2")
    (folder / "data").mkdir(parents=True)
    for name in ("data/train-00000.parquet", "metadata.json"):
        (folder / name).write_bytes((council / name).read_bytes())
    (folder / "data" / "train-00001.parquet.part").write_bytes(b"begun")
    kept = (folder / "data" / "train-00000.parquet").stat().st_mtime_ns
    done = write(folder, *arguments)
    assert done.exit_code == 0, done.output
    assert contents(folder) == contents(council)
    assert (folder / "data" / "train-00000.parquet").stat().st_mtime_ns == kept


def test_a_number_of_positions_ends_with_its_shard_and_a_larger_one_extends_it(council: Path, tmp_path: Path) -> None:
    folder, arguments = tmp_path / "grown", (*COUNCIL, "--shard-size", "4", "--values", "2")
    positions = [0, *np.cumsum(list(by_shard(Dataset(council)).values())).tolist()]
    for wanted, number in ((positions[1], 1), (positions[1] + 1, 2)):
        done = write(folder, *arguments, "--positions", str(wanted))
        assert done.exit_code == 0, done.output
        data = Dataset(folder)
        assert data.metadata["positions"] == positions[number]
        assert {file["sha256"] for file in data.metadata["files"]} <= {*contents(council).values()}
    refused = write(folder, *arguments, "--positions", "1")
    assert refused.exit_code == 2
    assert "larger goal" in refused.output
    assert Dataset(folder).metadata["positions"] == positions[2]


def by_shard(data: Dataset) -> dict[str, int]:
    found: dict[str, int] = {}
    for file in data.metadata["files"]:
        number = file["path"][-13:]
        found[number] = found.get(number, 0) + file["positions"]
    return dict(sorted(found.items()))


def test_a_folder_of_another_plan_is_refused_unchanged(council: Path) -> None:
    before = contents(council)
    for arguments, named in (
        (("--seed", "8", "--shard-size", "4", "--values", "2"), "another seed"),
        (("--shard-size", "5", "--values", "2"), "another shard_games"),
        (("--shard-size", "4"), "another values"),
        (("--shard-size", "4", "--values", "2", "--bots", "random,greedy"), "another bots"),
    ):
        refused = write(council, *COUNCIL, *arguments, "--games", str(GAMES))
        assert refused.exit_code == 2
        assert named in refused.output
    assert contents(council) == before


@pytest.mark.parametrize(
    "arguments",
    [
        ("--game", "wichtel", "--seats", "2", "--games", "1"),
        ("--game", "wichtel", "--bots", "easy,hard", "--games", "1"),
        ("--game", "wichtel", "--bots", "grandmaster", "--games", "1"),
        ("--game", "wichtel", "--values", "0", "--games", "1"),
        ("--game", "wichtel"),
        ("--game", "wichtel", "--games", "1", "--positions", "1"),
    ],
)
def test_invalid_arguments_write_nothing(arguments: tuple[str, ...], tmp_path: Path) -> None:
    assert write(tmp_path / "none", *arguments).exit_code == 2
    assert not (tmp_path / "none").exists()


def test_rows_tell_whole_games_with_their_results(council: Path) -> None:
    game, data = registered()["hoher-rat"], Dataset(council)
    rows = [row for split in ("train", "test") for file in data.files(split) for row in pq.read_table(file).to_pylist()]
    assert {row["game"] for row in rows} == set(range(GAMES))
    for number in range(GAMES):
        mine = [row for row in rows if row["game"] == number]
        made = [row for row in mine if not row["step"]]
        assert all(before["ply"] <= after["ply"] for before, after in pairwise(made))
        assert all(row["rewards"] == mine[0]["rewards"] and sum(row["rewards"]) == 1 for row in mine)
        assert [row["ranks"] for row in mine] == [[2 - round(share) for share in mine[0]["rewards"]]] * len(mine)
        assert {row["iterations"] for row in mine if row["legal_moves"] > 1} == {2}
        assert all(row["values"] is None for row in mine if row["legal_moves"] == 1)
    assert data.metadata["rows_by_bot"] == {"random": len(rows)}
    assert game.ruleset == data.metadata["plan"]["ruleset"]


def test_the_files_have_the_documented_columns_and_checksums(council: Path) -> None:
    data, card = Dataset(council), (council / "README.md").read_text("utf-8")
    for file in data.metadata["files"]:
        assert pq.read_schema(council / file["path"]).equals(schema(views=True))
        assert pq.read_metadata(council / file["path"]).num_rows == file["rows"]
        assert file["sha256"] == contents(council)[file["path"]]
    for column in (*COLUMNS, *RESULTS):
        assert f"| `{column.name}` | {column.type} | {column.meaning} |" in card
    _, front, body = card.split("---\n", 2)
    told = yaml.safe_load(front)
    patterns = {each["split"]: each["path"] for each in told["configs"][0]["data_files"]}
    assert {split: {str(file) for file in council.glob(pattern)} for split, pattern in patterns.items()} == {
        split: {str(file) for file in data.files(split)} for split in ("train", "test")
    }
    bits = [(field["first_bit"], field["field"], field["bits"]) for field in data.metadata["observation"]]
    layout = data.learner.layout
    assert bits == [(first, field.name, field.width) for first, field in zip(layout.starts, layout.fields, strict=True)]
    assert told["license"] == "apache-2.0"
    assert told["size_categories"] == ["1K<n<10K" if data.metadata["rows"] >= 1_000 else "n<1K"]
    assert re.search(r"^python3 dev\.py dataset --game hoher-rat .*--games 11 --seed 7 --values 2", body, re.MULTILINE)


def joined(batches: Iterator[Batch], name: str) -> Any:
    return np.concatenate([getattr(batch, name) for batch in batches])


def test_the_loader_yields_every_row_once_as_arrays(council: Path) -> None:
    data = Dataset(council)
    whole = list(data.batches("train", 100, forced=True, columns=("code", "view")))
    assert [len(batch) for batch in whole[:-1]] == [100] * (len(whole) - 1)
    assert sum(map(len, whole)) == data.rows("train")
    rows = pq.read_table(data.files("train")[0]).to_pylist()
    for index, row in enumerate(rows[:100]):
        batch = whole[0]
        assert batch.observations[index].tolist() == unpacked(row)
        assert np.flatnonzero(batch.masks[index]).tolist() == row["legal"]
        assert (batch.games[index], batch.plies[index], batch.seats[index]) == (row["game"], row["ply"], row["seat"])
        assert batch.actions[index] == row["action"]
        assert batch.rewards[index].tolist() == row["rewards"]
        assert np.isnan(batch.scores[index]).all()
        assert batch.rows["view"][index].as_py() == row["view"]
        if row["visits"] is None:
            assert not batch.policies[index].any()
            assert np.isnan(batch.values[index]).all()
        else:
            shares = np.array(row["visits"]) / sum(row["visits"])
            assert batch.policies[index][row["searched"]] == pytest.approx(shares)
            assert batch.policies[index].sum() == pytest.approx(1)
            assert batch.means[index][row["searched"]].tolist() == row["means"]
            assert batch.values[index].tolist() == row["values"]


def test_a_seed_shuffles_rows_and_splits_share_no_game(council: Path) -> None:
    data = Dataset(council)
    plain, one, same, other = (
        list(zip(*(joined(data.batches("train", 64, seed=seed), name) for name in ("games", "plies")), strict=True))
        for seed in (None, 1, 1, 2)
    )
    assert one == same
    assert len({tuple(plain), tuple(one), tuple(other)}) == 3
    assert sorted(plain) == sorted(one) == sorted(other)
    assert not set(joined(data.batches("train"), "games")) & set(joined(data.batches("test"), "games"))
    assert (joined(data.batches("train"), "masks").sum(axis=1) > 1).all()


def test_a_dataset_of_another_time_is_refused(council: Path, tmp_path: Path) -> None:
    kept = json.loads((council / "metadata.json").read_text())
    for changed, named in (
        ({**kept, "complete": False}, "incomplete"),
        ({**kept, "plan": {**kept["plan"], "format": 0}}, "format 0"),
        ({**kept, "plan": {**kept["plan"], "ruleset": "0"}}, "ruleset 0"),
        ({**kept, "plan": {**kept["plan"], "layout": "0"}}, "another version"),
    ):
        (tmp_path / "metadata.json").write_text(json.dumps(changed))
        with pytest.raises(ValueError, match=named):
            Dataset(tmp_path)


def test_the_example_of_the_page_runs(council: Path, checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (checkout / "docs" / "datasets.md").read_text("utf-8")
    examples = re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    monkeypatch.chdir(council.parent)
    for example in examples:
        found: dict[str, Any] = {}
        exec(compile(example, "datasets.md", "exec"), found)  # noqa: S102 -- the example of the page
        assert found["seen"] == Dataset("council").rows("train") - forced(council)
    assert examples


def forced(folder: Path) -> int:
    tables = [pq.read_table(file, columns=["legal"]) for file in Dataset(folder).files("train")]
    return sum(len(legal) == 1 for table in tables for legal in table["legal"].to_pylist())


def test_a_decision_that_becomes_no_move_leaves_no_row() -> None:
    recorder = Recorder(plan_of("hoher-rat", 2, "random"))
    game = registered()["hoher-rat"]
    table = game.new(2, game.options_type(), FastDice(1))
    seat, bot = game.actors(table)[0], level_of(game, "random", 2)
    for seed in (1, 2, 3):
        chosen = recorder.choose(bot, Decision(0, table, seat), seed, lambda *_: None)
    recorder.note_move(seat)
    assert {row["code"] for row in recorder._made} == {chosen}
    assert len([row for row in recorder._made if not row["step"]]) == 1


def test_actions_add_the_visits_of_their_moves() -> None:
    game = registered()["hoher-rat"]
    table = game.new(2, game.options_type(), FastDice(3))
    seat = game.actors(table)[0]
    _, advisor = decide(game, table, seat, level_of(game, "medium", 2), 5)
    assert advisor is not None
    first, *others = advisor.lines
    paths = {first: (4, 9), **dict.fromkeys(others, (4, 7))}
    lines = advisor.lines
    assert action_values(advisor, paths, ())["visits"] == [sum(line.visits for line in lines.values())]
    both = action_values(advisor, paths, (4,))
    assert both["searched"] == [7, 9]
    assert both["visits"] == [sum(lines[code].visits for code in others), lines[first].visits]
    weighted = sum(lines[code].visits * lines[code].mean for code in others) / both["visits"][0]
    assert both["means"] == [pytest.approx(weighted), pytest.approx(lines[first].mean)]


def test_ranks_follow_the_win_and_then_the_points() -> None:
    assert ranks([0.0, 1.0, 0.0], [70, 60, 80]) == [3, 1, 2]
    assert ranks([0.5, 0.5, 0.0], [9, 9, 3]) == [1, 1, 3]
    assert ranks([1.0, 0.0, 1.0, 0.0], None) == [1, 3, 1, 3]


def test_a_shard_of_a_broken_process_appears_never(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = plan_of("hoher-rat", 2, "random")
    (tmp_path / "data").mkdir()
    monkeypatch.setattr(shards.ShardFile, "add", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        shards.write_shard(Recorder(plan), plan, tmp_path, plan.shard(0))
    assert [file.suffix for file in (tmp_path / "data").iterdir()] == [".part"]
