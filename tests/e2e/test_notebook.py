"""The notebook on simulations runs as it stands."""

import contextlib
import io
import json
from pathlib import Path
from typing import Any

import httpx
import matplotlib as mpl
import pytest


def test_the_notebook_reads_a_simulation(service: str, checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mpl.use("Agg")
    monkeypatch.setenv("DORFPLATZ_URL", f"{service}/v1")
    notebook = json.loads((checkout / "docs" / "guides" / "simulations.ipynb").read_text("utf-8"))
    cells = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert not [cell for cell in notebook["cells"] if cell.get("outputs")], "outputs are not committed"
    names: dict[str, Any] = {}
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        for cell in cells:
            exec(compile(cell, "simulations.ipynb", "exec"), names)  # noqa: S102 -- as a notebook does
    assert names["job"]["state"] == "succeeded"
    assert names["games"].num_rows == names["body"]["games"]
    assert "group.winners" in names["games"].column_names
    assert len(printed.getvalue().splitlines()) == len(names["groups"])
    drawn = sum(patch.get_height() for patch in names["axes"].patches)
    assert drawn == names["games"].num_rows, "every game is in the plot"


def test_the_site_offers_the_notebook_for_download(service: str, checkout: Path) -> None:
    place = "docs/guides/simulations.ipynb"
    page = httpx.get(f"{service}/docs/guides/jobs", timeout=60).text
    assert "/docs/files/guides/simulations.ipynb" in page
    found = httpx.get(f"{service}/docs/files/guides/simulations.ipynb", timeout=60)
    assert found.content == (checkout / place).read_bytes()
    assert found.headers["Content-Type"] == "application/x-ipynb+json"
