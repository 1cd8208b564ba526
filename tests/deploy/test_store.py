"""The store as compose and Kubernetes start it: with its settings, and with its password out of sight."""

import os
import re
import signal
from pathlib import Path

import pytest
import redis
import yaml

from service.launch.lifeline import start
from service.launch.redis import server
from tests.launch.kit import PATIENCE_SECONDS, own_port, within

PASSWORD = "0123456789abcdef"  # noqa: S105 -- of a store that lives for a second


def script_of(checkout: Path, source: str) -> str:
    """Return the script that the store's container runs, with the environment's variables in it."""
    if source == "compose":
        shell, flag, script = yaml.safe_load((checkout / "docker-compose.yml").read_text())["services"]["redis"][
            "command"
        ]
        script = script.replace("$$", "$")
    else:
        manifests = yaml.safe_load_all((checkout / "k8s/base/redis.yaml").read_text())
        (made,) = (manifest for manifest in manifests if manifest["kind"] == "StatefulSet")
        container = made["spec"]["template"]["spec"]["containers"][0]
        (shell, flag), (script,) = container["command"], container["args"]
    assert (shell, flag) == ("sh", "-c")
    return str(script)


def answers(client: redis.Redis) -> bool:
    try:
        return bool(client.ping())
    except redis.exceptions.ConnectionError:
        return False


@pytest.mark.parametrize("source", ["compose", "kubernetes"])
def test_the_store_starts_with_its_settings_and_hides_its_password(checkout: Path, tmp_path: Path, source: str) -> None:
    script = script_of(checkout, source)
    command, _, _ = script.partition("<<")
    assert "PASSWORD" not in command
    (tmp_path / "valkey-server").symlink_to(server())
    port = own_port()
    here = f"valkey-server - --port {port} --bind 127.0.0.1"
    settings = {
        "REDIS_PASSWORD": PASSWORD,
        "REDIS_MAXMEMORY": "3gb",
        "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}",
    }
    script = re.sub("valkey-server -", here, script, count=1).replace("/data", str(tmp_path))
    process = start(
        ["sh", "-c", script], ending=signal.SIGTERM, env=settings, output=tmp_path / "redis.log", cwd=tmp_path
    )
    try:
        with redis.Redis(port=port, password=PASSWORD) as client, redis.Redis(port=port) as stranger:
            assert within(PATIENCE_SECONDS, lambda: answers(client)), (tmp_path / "redis.log").read_text()
            told = client.config_get("append*", "maxmemory*", "save")
            with pytest.raises(redis.exceptions.AuthenticationError):
                stranger.ping()
        assert PASSWORD.encode() not in Path(f"/proc/{process.pid}/cmdline").read_bytes()
    finally:
        process.terminate()
        process.wait(PATIENCE_SECONDS)
    expected = {"appendonly": "yes", "appendfsync": "always", "maxmemory": str(3 * 1024**3), "save": ""}
    assert told.items() >= {**expected, "maxmemory-policy": "noeviction"}.items()
