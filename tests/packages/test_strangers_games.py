"""A stranger's game: written by a command, built into a wheel, installed beside the service, and served."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
import redis
from flask import Flask

import service.app
import service.telemetry.refused_games
from games.core import registry
from games.core.admission import RESERVED_KINDS
from games.core.registry import Found, RefusedGame, ours
from service.app import create_app
from service.jobs import queues
from service.sessions.session_events import HAPPENINGS
from service.settings import Settings
from service.snapshots.records import MOVE_CODE
from tests.conformance import plugin
from tests.workers.jobs import work
from tools import new_game

UV: Final = str(Path(sys.executable).parent / "uv")
BUILD: Final = (
    *(UV, "build", "--wheel", "--no-build-isolation", "--no-index"),
    *("--python", sys.executable),
)
SLUG: Final = "sheep-dog"
PACKAGE: Final = "dorfplatz_sheep_dog"
INSTALL: Final = (
    *(UV, "pip", "install", "--quiet", "--python", sys.executable),
    *("--no-deps", "--no-index", "--target"),
)
"""Installs wheels into the folder that follows."""


def wheel(source: Path, folder: Path) -> Path:
    """Build a wheel of a package's folder as a build front end does, and return it."""
    made = folder / f"wheel-of-{source.name}"
    made.mkdir()
    built = subprocess.run([*BUILD, "--out-dir", str(made)], cwd=source, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    (found,) = made.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def site(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("stranger")
    game = new_game.write(checkout, SLUG, folder / "game")
    place = folder / "site"
    wheels = map(str, (wheel(game, folder), wheel(checkout / "clients" / "conformance", folder)))
    subprocess.run([*INSTALL, str(place), *wheels], check=True)
    return place


def broken(site: Path, name: str, module: str) -> None:
    """Install a package by hand that has one module, and whose entry point leads to a GAME in it."""
    (site / f"{name}.py").write_text(module)
    facts = site / f"{name}-1.0.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (facts / "entry_points.txt").write_text(f"[{registry.GROUP}]\n{name} = {name}:GAME\n")


def look(monkeypatch: pytest.MonkeyPatch, *sites: Path) -> Found:
    """Look for games as a process does in which these are on the path, and have the service take what there is."""
    for place in sites:
        monkeypatch.syspath_prepend(str(place))
    monkeypatch.delenv(registry.SWITCH)
    every: Found = registry.found.__wrapped__()
    for module in (registry, service.app, service.telemetry.refused_games):
        monkeypatch.setattr(module, "found", lambda: every)
    return every


@pytest.fixture
def installed(site: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Found]:
    yield look(monkeypatch, site)
    for name in [name for name in sys.modules if name.partition(".")[0] == PACKAGE]:
        del sys.modules[name]


@pytest.fixture
def app(installed: Found, redis_url: str) -> Flask:
    assert installed.packages == {SLUG: "dorfplatz-sheep-dog 0.1.0"}
    return create_app(Settings(redis_url=redis_url, log_level="error"))


def test_a_wheel_beside_the_service_is_served_searched_and_documented(app: Flask, redis_client: redis.Redis) -> None:
    client = app.test_client()

    def got(path: str) -> Any:
        answer = client.get(path)
        assert answer.status_code == 200, answer.text
        return answer.json if answer.is_json else answer.text

    assert [card["game"] for card in got("/v1/games")] == [*ours(), SLUG]
    card = got(f"/v1/games/{SLUG}")
    assert card["names"]["en"] == "Sheep Dog"
    assert "bid_sheep_dog" in card["moves"]
    assert [rule["id"] for rule in got(f"/v1/games/{SLUG}/rules")][:1] == ["SD-1"]
    schemas = got("/openapi.json")["components"]["schemas"]
    assert schemas["Move"]["discriminator"]["mapping"]["take_sheep_dog"].endswith("/SheepDogTakeSheepDog")
    assert SLUG in schemas["GameSlug"]["enum"]
    assert "SD-1" in got(f"/docs/rules/{SLUG}/en")

    seats: list[Any] = [{"kind": "human"}, {"kind": "bot", "bot": {"level": "random"}}]
    session = client.post("/v1/sessions", json={"game": SLUG, "seats": seats})
    assert session.status_code == 201, session.text
    made: Any = client.post(f"/v1/games/{SLUG}/snapshots", json={"seat_count": 2, "seed": "a seed"}).json
    seen: Any = client.post(f"/v1/games/{SLUG}/views", json={"snapshot": made["snapshot"], "seat": 0}).json
    bots = [{"bot": {"level": "tuned"}}, {"bot": {"level": "random"}}]
    orders: dict[str, tuple[str, Any]] = {
        queues.SEARCHES: ("searches", {"game": SLUG, "view": seen, "budget": {"iterations": 20}}),
        queues.BULK: ("simulations", {"game": SLUG, "seats": bots, "games": 2}),
    }
    for queue, (kind, body) in orders.items():
        job = client.post(f"/v1/jobs/{kind}", json=body)
        assert job.status_code == 202, job.text
        work(redis_client, queue)
        assert got(job.headers["Location"])["state"] == "succeeded"


WRONG: Final[dict[str, tuple[str, str]]] = {
    "no module of its own": ("import no_such_thing", "ModuleNotFoundError: No module named 'no_such_thing'"),
    "an end of the process": ("raise SystemExit(3)", "SystemExit: 3"),
    "no game": ("GAME = []", "it names 'list', and not an instance"),
    "the game of another": (f"from {PACKAGE} import GAME", "another game is called sheep-dog"),
    "kinds of another": (
        (
            f"from {PACKAGE}.game import Toy, SheepDogView\n"
            "class View(SheepDogView, frozen=True, tag='cat'): pass\n"
            f"class Cat(Toy):\n    slug, ruleset, view_type = 'cat', 'cat/1', View\nCat.__module__ = '{PACKAGE}.game'\n"
            "GAME = Cat()"
        ),
        "its kind 'bid_sheep_dog' belongs to sheep-dog",
    ),
    "seven seats": (
        (
            f"from {PACKAGE}.game import Toy\nclass Large(Toy):\n    seat_numbers = (2, 7)\nLarge.slug = 'x-large'\n"
            f"Large.ruleset = 'x-large/1'\nLarge.__module__ = '{PACKAGE}.game'\nGAME = Large()"
        ),
        "it is played by [2, 7], and a table has 2 to 6 seats",
    ),
    "a rule that fails": (
        (
            f"from {PACKAGE}.game import Toy\nclass Ill(Toy):\n"
            "    def __init__(self):\n        super().__init__()\n        self.texts = self.texts.missing\n"
            "GAME = Ill()"
        ),
        "AttributeError: 'Texts' object has no attribute 'missing'",
    ),
}


def test_broken_packages_are_left_out_with_their_reasons_and_take_nothing_else_along(
    site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], redis_url: str
) -> None:
    for number, (module, _) in enumerate(WRONG.values()):
        broken(tmp_path, f"zz_wrong_{number}", module)
    every = look(monkeypatch, site, tmp_path)
    assert list(every.games) == [*ours(), SLUG]
    reasons = {refused.package: refused.reason for refused in every.refused}
    for number, (claim, (_, reason)) in enumerate(WRONG.items()):
        assert reason in reasons[f"zz_wrong_{number} 1.0"], claim
    client = create_app(Settings(redis_url=redis_url, log_level="error")).test_client()
    lines = [line for line in capsys.readouterr().err.splitlines() if '"game-refused"' in line]
    assert len(lines) == len(WRONG)
    assert any("zz_wrong_2 1.0" in line and "it names 'list'" in line for line in lines)
    listed: Any = client.get("/v1/games").json
    assert [card["game"] for card in listed] == [*ours(), SLUG]
    assert client.get("/readyz").status_code in {200, 503}


def test_a_game_that_the_contract_cannot_hold_is_left_out_and_the_others_are_served(
    installed: Found, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(type(installed.games[SLUG]), "slug", "session")
    taken = Found({**ours(), "session": installed.games[SLUG]}, {"session": "a-package 1.0"}, [])
    monkeypatch.setattr(service.app, "found", lambda: taken)
    client = create_app(Settings(log_level="error")).test_client()
    assert "its slug session is taken" in capsys.readouterr().err
    listed: Any = client.get("/v1/games").json
    assert [card["game"] for card in listed] == list(ours())


def test_the_stranger_runs_the_conformance_suite_on_the_game_alone(site: Path, checkout: Path, tmp_path: Path) -> None:
    (tmp_path / "test_own.py").write_text("def test_own():\n    pass\n")
    environment = {name: value for name, value in os.environ.items() if name != registry.SWITCH}
    kernel = os.environ.get("PYTHONPATH") or str(checkout)
    run = subprocess.run(
        [sys.executable, "-P", "-m", "pytest", "-v", "--conformance", SLUG, "-k", "own or facts or standing"],
        cwd=tmp_path,
        env={**environment, "PYTHONPATH": os.pathsep.join((str(site), kernel))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert "test_own PASSED" in run.stdout
    assert f"test_the_facts_of_a_game_are_there[{SLUG}] PASSED" in run.stdout
    assert not any(slug in run.stdout for slug in ours())


def test_the_plugin_tells_why_a_game_would_not_be_served(monkeypatch: pytest.MonkeyPatch) -> None:
    refused = RefusedGame("bad-game 1.0", "bad = bad:GAME", "its `rules` are empty")
    monkeypatch.setattr(plugin, "found", lambda: Found(ours(), {}, [refused]))
    with pytest.raises(pytest.UsageError, match="no game no-game is served") as told:
        plugin.load("no-game")
    assert "its `rules` are empty" in str(told.value.args)
    with pytest.raises(pytest.UsageError, match=r"games\.core:registry would not be served: it names 'module'"):
        plugin.load("games.core:registry")
    with pytest.raises(pytest.UsageError, match="another game is called hoher-rat"):
        plugin.load("games.hoher_rat:GAME")
    assert plugin.load("hoher-rat") is ours()["hoher-rat"]


def test_names_of_the_service_are_reserved() -> None:
    assert {MOVE_CODE, *(str(kind.__struct_config__.tag) for kind in HAPPENINGS)} == RESERVED_KINDS


@pytest.mark.parametrize("slug", ["Sheep", "sheep dog", "../sheep", "sheep-", ""])
def test_a_name_that_is_none_is_refused_and_nothing_is_written(checkout: Path, tmp_path: Path, slug: str) -> None:
    with pytest.raises(ValueError, match="is no name"):
        new_game.write(checkout, slug, tmp_path / "game")
    assert not (tmp_path / "game").exists()


def test_a_folder_that_has_something_is_left_as_it_is(checkout: Path, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(ValueError, match="is not empty"):
        new_game.write(checkout, SLUG, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]
