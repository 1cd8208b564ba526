"""The package of `clients/python`, out of its wheel, plays against the running service."""

import os
import re
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from tests.launch.kit import PATIENCE_SECONDS
from tests.packages.test_strangers_games import INSTALL, wheel

EXAMPLE = re.compile(r"```python\n(.*?)```", re.DOTALL)

GUIDE_ADDRESS = "http://localhost:8000"

TOUR = """
import sys
import dorfplatz_client
from dorfplatz_client import Client

assert dorfplatz_client.__file__.startswith(sys.argv[2]), dorfplatz_client.__file__
with Client(sys.argv[1]) as client:
    assert {game["game"] for game in client.games()} >= {"hoher-rat"}
    seat = client.play("hoher-rat", bots=["random"], options={"turn_cap": 4}, bot_ms=0, seed="henge")
    for decision in seat.decisions():
        listed = seat.legal_moves()
        seat.check(listed[0])
        seat.move({"code": listed[0]["code"]})
    assert seat.is_over and not seat.is_asked
    told = [message.event for message in seat.events()]
    assert told[0] == "state" and told[-1] == "end", told
    bots = [{"bot": {"level": "random"}}] * 2
    assert client.cost("simulations", game="hoher-rat", seats=bots, games=4) == 4
    steps = []
    job = client.simulate("hoher-rat", ["random", "random"], games=4, options={"turn_cap": 4}, seed="henge")
    result = job.result(lambda done, total: steps.append((done, total)))
    assert steps and steps[-1][1] == 4, steps
    print("toured", result["games"])
"""

AWAITED = """
import asyncio
import sys
from dorfplatz_client import AsyncClient

async def answer(seat):
    async for decision in seat.decisions():
        await seat.move((await seat.legal_moves())[0])
    return [message.event async for message in seat.events()][-1]

async def main():
    async with AsyncClient(sys.argv[1]) as client:
        wanted = {"listed": True, "bot_ms": 0, "options": {"turn_cap": 4}}
        mine = await client.play("hoher-rat", bots=["open"], **wanted)
        assert mine.session in {table["id"] async for table in client.tables("hoher-rat")}
        theirs = await client.claim(mine.session, 1, name="Tom")
        assert await asyncio.gather(answer(mine), answer(theirs)) == ["end", "end"]
        again = await theirs.rematch()
        assert again.session != mine.session and not again.is_over
        await again.resign(forfeit=True)
        assert again.is_over
        job = await client.simulate("hoher-rat", ["random", "random"], games=4, options={"turn_cap": 4})
        print("awaited", (await job.result())["games"])

asyncio.run(main())
"""


@pytest.fixture(scope="module")
def site(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("package")
    place = folder / "site"
    subprocess.run([*INSTALL, str(place), str(wheel(checkout / "clients" / "python", folder))], check=True)
    return place


def run(site: Path, program: str, *arguments: str) -> str:
    packages = str(Path(httpx.__file__).parents[1])
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(site), packages])}
    done = subprocess.run(
        [sys.executable, "-P", "-c", program, *arguments],
        cwd=site,
        env=environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_examples_of_the_readme_play_a_game(site: Path, service: str, checkout: Path) -> None:
    example, awaited = EXAMPLE.findall((checkout / "clients" / "python" / "README.md").read_text())
    assert len(example.splitlines()) <= 10
    assert len(run(site, example, service).splitlines()) > 2
    assert run(site, awaited, service)


def test_the_samples_of_the_guide_run_as_printed_in_short_games(site: Path, service: str, checkout: Path) -> None:
    guide = (checkout / "docs" / "guides" / "python-client.md").read_text("utf-8")
    assert guide.count(GUIDE_ADDRESS) == 2
    quick = guide.replace('["hard"]', '["random"], options={"turn_cap": 12}, bot_ms=0')
    quick = quick.replace('["easy", "hard"], games=100', '["random", "random"], games=4')
    play, awaited, bar = EXAMPLE.findall(quick.replace(GUIDE_ADDRESS, service))
    assert len(run(site, play).splitlines()) == 1
    run(site, f"import asyncio, sys\n{awaited}\nasyncio.run(play(sys.argv[1]))", service)
    assert "4" in run(site, bar).splitlines()[-1]


def test_a_seat_checks_moves_and_streams_and_a_job_tells_its_progress(site: Path, service: str) -> None:
    assert run(site, TOUR, service, str(site)).startswith("toured")


def test_two_who_await_meet_at_a_listed_table_and_play_again(site: Path, service: str) -> None:
    assert run(site, AWAITED, service) == "awaited 4\n"
