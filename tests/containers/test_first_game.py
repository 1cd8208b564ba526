"""The short form: the image builds, the compose file starts, a game is played, and a killed container loses nothing."""

import re
import subprocess
from pathlib import Path
from random import Random

import pytest

from tests.containers.engine import Engine, run
from tests.containers.players import RESTLESS_TABLES, play_table
from tests.containers.project import Project

MAX_IMAGE_BYTES = 120_000_000
"""Size of the image above its base."""


def test_the_image_is_small_has_no_root_and_checks_itself(engine: Engine, image: str, checkout: Path) -> None:
    base = re.findall(r"^FROM (\S+)$", (checkout / "Dockerfile").read_text(), re.MULTILINE)[-1]
    sizes = [int(run("docker", "inspect", "--format", "{{.Size}}", name)) for name in (image, base)]
    assert sizes[0] - sizes[1] <= MAX_IMAGE_BYTES
    config = engine.inspect(image)["Config"]
    assert config["User"] == "10001:10001"
    assert config["Healthcheck"]["Test"][-3:] == ["service", "probe", "web"]


def test_every_container_is_read_only_and_has_no_capabilities(engine: Engine, project: Project) -> None:
    containers = project.containers()
    assert len(containers) >= 9
    for container in containers:
        host = engine.inspect(container)["HostConfig"]
        assert host["ReadonlyRootfs"], container
        assert host["CapDrop"] == ["ALL"], container
        assert host["Memory"] > 0, container


def test_only_the_proxy_is_reachable_from_outside(engine: Engine, project: Project) -> None:
    published = {
        engine.inspect(container)["Config"]["Labels"]["com.docker.compose.service"]
        for container in project.containers()
        if engine.inspect(container)["HostConfig"]["PortBindings"]
    }
    assert published == {"proxy"}


def test_the_first_game_of_the_readme_is_played(project: Project, checkout: Path, tmp_path: Path) -> None:
    text = (checkout / "README.md").read_text("utf-8")
    game = re.findall(r"^```sh\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)[0]
    script = game.replace("http://127.0.0.1:8000", f"http://127.0.0.1:{project.port}")
    assert script != game
    done = subprocess.run(["sh", "-eu", "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert '"rewards"' in done.stdout


@pytest.mark.parametrize("service", ["web"])
def test_a_killed_container_loses_no_acknowledged_move(project: Project, service: str) -> None:
    kills = play_table(project, RESTLESS_TABLES[0], Random(1), [service])
    assert kills == 1
    project.await_ready()
