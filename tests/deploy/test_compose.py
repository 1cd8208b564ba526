"""The compose file and the Dockerfile: valid, and in step with the rest."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from service.jobs import queues
from service.settings import Limits
from tools.locks import BUILD, DEV, IMAGE, SERVE, Selection, export

UV: Final = Path(sys.executable).with_name("uv")


@pytest.fixture(scope="module")
def compose(checkout: Path) -> Any:
    return yaml.safe_load((checkout / "docker-compose.yml").read_text())


@pytest.mark.thorough
def test_it_fits_the_specification(checkout: Path) -> None:
    command = ["check_jsonschema", "--builtin-schema", "vendor.compose-spec", "docker-compose.yml"]
    found = subprocess.run([sys.executable, "-m", *command], cwd=checkout, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stdout


def test_it_runs_the_web_every_queue_and_the_store(compose: Any) -> None:
    assert set(compose["services"]) == {"proxy", "web", "watch", *queues.QUEUES, "redis"}
    for queue in queues.QUEUES:
        assert compose["services"][queue]["command"] == ["worker", queue]
        assert compose["services"][queue]["healthcheck"]["test"][-2:] == ["probe", queue]
        assert compose["services"][queue]["deploy"]["replicas"] == f"${{{queue.upper()}_WORKERS:-1}}"
    for name in ("web", "watch"):
        assert compose["services"][name]["command"] == ["web"]
        assert compose["services"][name]["environment"]["WEB_PROCESSES"] == 1
    assert [name for name, service in compose["services"].items() if "ports" in service] == ["proxy"]


def test_one_service_builds_the_image_and_the_others_wait_for_it(compose: Any) -> None:
    ours = {name: service for name, service in compose["services"].items() if name not in {"redis", "proxy"}}
    assert len({service["image"] for service in ours.values()}) == 1
    assert [name for name, service in ours.items() if "build" in service] == ["web"]
    assert {service.get("pull_policy") for name, service in ours.items() if name != "web"} == {"never"}
    assert "pull_policy" not in ours["web"]


def test_nothing_of_it_has_rights_or_writes_anywhere(compose: Any) -> None:
    for service in compose["services"].values():
        assert service["read_only"] is True
        assert service["cap_drop"] == ["ALL"]
        assert service["security_opt"] == ["no-new-privileges:true"]
        assert not service.get("image", "").endswith(":latest")
        assert ":" in service["image"]


def test_no_secret_has_a_default(compose: Any) -> None:
    for service in compose["services"].values():
        for name, value in service["environment"].items():
            if re.search("SECRET|PASSWORD|AUTH|REDIS_URL", name):
                assert re.search(r"\$\{\w+:\?", value), name


def test_a_search_may_end_before_its_worker_is_ended(compose: Any) -> None:
    assert int(compose["services"]["bulk"]["stop_grace_period"].removesuffix("s")) > Limits().search_seconds


def test_the_store_keeps_what_it_acknowledges(compose: Any) -> None:
    command = compose["services"]["redis"]["command"][-1]
    assert "--appendonly yes --appendfsync always" in command
    assert "--maxmemory-policy noeviction" in command
    assert compose["services"]["redis"]["volumes"] == ["redis:/data"]


def test_nothing_takes_the_memory_of_the_whole_machine(compose: Any) -> None:
    limits = {name: service["mem_limit"] for name, service in compose["services"].items()}
    assert limits.keys() == compose["services"].keys()
    assert all(re.fullmatch(r"\$\{\w+:-\d+[mg]\}", limit) for limit in limits.values())
    most = compose["services"]["redis"]["environment"]["REDIS_MAXMEMORY"]
    assert bytes_of(most) < bytes_of(limits["redis"]), "it refuses writes before it is killed"


def bytes_of(setting: str) -> int:
    found = re.search(r":-(\d+)([mg])b?\}", setting)
    assert found
    return int(found[1]) << {"m": 20, "g": 30}[found[2]]


def test_the_dockerfile_does_nothing_that_the_tests_do_not(checkout: Path) -> None:
    text = (checkout / "Dockerfile").read_text()
    runs = re.findall(r"^RUN (.*)$", text, re.MULTILINE)
    assert [run for run in runs if not run.startswith("apt-get update")] == ["tools/image.sh /opt/dorfplatz"]
    assert re.findall(r"^USER (.*)$", text, re.MULTILINE) == ["10001:10001"]
    assert all(re.search(r":\d", image) for image in re.findall(r"^FROM (\S+)", text, re.MULTILINE))


def test_the_image_has_the_versions_that_are_tested(checkout: Path) -> None:
    def pins(selection: Selection) -> set[str]:
        return set(re.findall(r"^(\S+==\S+)", export(UV, selection, checkout), re.MULTILINE))

    assert pins(IMAGE) < pins(SERVE) < pins(DEV)
    assert pins(BUILD) < pins(SERVE)
