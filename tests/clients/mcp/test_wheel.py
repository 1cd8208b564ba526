"""The wheel of the MCP server and the arena, built as a front end builds it, and run from where it is unpacked."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.packages.test_strangers_games import wheel


@pytest.mark.thorough
def test_the_wheel_brings_both_commands(checkout: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    with zipfile.ZipFile(wheel(checkout / "clients" / "mcp", tmp_path)) as archive:
        archive.extractall(site)
    (commands,) = site.glob("*.dist-info/entry_points.txt")
    assert "dorfplatz-mcp = dorfplatz_mcp.__main__:main" in commands.read_text()
    assert "dorfplatz = dorfplatz_arena.__main__:cli" in commands.read_text()

    def told(module: str, *arguments: str, path: tuple[Path, ...]) -> str:
        known = {"PATH": "/usr/bin:/bin", "PYTHONPATH": ":".join(map(str, path))}
        command = [sys.executable, "-P", "-m", module, *arguments]
        done = subprocess.run(command, cwd=tmp_path, env=known, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    client = checkout / "clients" / "python"
    assert "--no-legal-moves" in told("dorfplatz_mcp", "--help", path=(site, client))
    assert "--tries" in told("dorfplatz_arena", "arena", "--help", path=(site, client, checkout))
