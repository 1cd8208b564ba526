"""The image's software bill of materials: `python3 dev.py sbom`.

CycloneDX reads this environment, which contains all packages of the image and more; the others are left out.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

from tools.locks import IMAGE, export

UV: Final = Path(sys.executable).with_name("uv")


def main(arguments: list[str]) -> None:
    """Print the bill."""
    parser = argparse.ArgumentParser(prog="dev.py sbom")
    parser.add_argument("--table", action="store_true", help="name, version and licence, a line each")
    bill = describe(read_lock(export(UV, IMAGE)))
    print(table(bill) if parser.parse_args(arguments).table else json.dumps(bill, indent=2))


def read_lock(text: str) -> set[str]:
    """Return the normalised names of the packages in a requirements file."""
    return {_normalise(name) for name in re.findall(r"^([\w.-]+)==", text, re.MULTILINE)}


def describe(names: set[str]) -> dict[str, Any]:
    """Return the bill of materials of the packages with these names."""
    command = [sys.executable, "-m", "cyclonedx_py", "environment", "--output-reproducible", "--pyproject"]
    # Only installed packages count. A checkout on the path may contain a package without a name during its build.
    own = {name: text for name, text in os.environ.items() if name != "PYTHONPATH"} | {"PYTHONSAFEPATH": "1"}
    done = subprocess.run(
        [*command, "pyproject.toml", sys.executable], check=False, capture_output=True, text=True, env=own
    )
    if done.returncode != 0:
        sys.exit(f"dorfplatz: the environment cannot be listed: {done.stderr.strip()}")
    bill: dict[str, Any] = json.loads(done.stdout)
    bill["components"] = [each for each in bill["components"] if _normalise(each["name"]) in names]
    kept = {each["bom-ref"] for each in (*bill["components"], bill["metadata"]["component"])}
    bill["dependencies"] = [
        {**each, "dependsOn": sorted(set(each.get("dependsOn", ())) & kept)}
        for each in bill.get("dependencies", ())
        if each["ref"] in kept
    ]
    return bill


def table(bill: dict[str, Any]) -> str:
    """Return a line for each package."""
    rows = [(each["name"], each["version"], ", ".join(licences(each)) or "?") for each in bill["components"]]
    width = [max(len(row[column]) for row in rows) for column in (0, 1)]
    return "\n".join(f"{name:{width[0]}}  {version:{width[1]}}  {licence}" for name, version, licence in rows)


def licences(component: dict[str, Any]) -> list[str]:
    """Return the licences that a component declares, each once."""
    found = (_licence(each) for each in component.get("licenses", ()))
    return list(dict.fromkeys(text for text in found if text))


def _licence(entry: dict[str, Any]) -> str:
    licence = entry.get("license", {})
    return str(entry.get("expression") or licence.get("id") or licence.get("name", "")).partition("\n")[0]


def _normalise(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


if __name__ == "__main__":
    main(sys.argv[1:])
