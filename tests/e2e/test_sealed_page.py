"""The commands on the page on sealed snapshots work as they stand; and a phone keeps a whole game."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.e2e.test_readme import ADDRESS
from tests.launch.kit import http_client

SEATS = 4


@pytest.mark.skipif(shutil.which("curl") is None or shutil.which("jq") is None, reason="needs curl and jq on PATH")
def test_a_sealed_table_works_when_pasted(service: str, checkout: Path, tmp_path: Path) -> None:
    page = (checkout / "docs" / "sealed-snapshots.md").read_text("utf-8")
    script = "".join(re.findall(r"^```sh\n(.*?)^```$", page, re.MULTILINE | re.DOTALL))
    assert ADDRESS in script
    command = ["sh", "-eu", "-c", script.replace(ADDRESS, service)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    said = done.stdout.splitlines()
    table, seen, label, moved, searched, *refused = said
    assert re.fullmatch(r'\["wichtel",0,true,\[\d\],4,"[-0-9T:.]+Z"\]', table)
    assert sorted(json.loads(seen)[1:]) == [0, 0, 0, 4], "the own hand alone"
    assert re.match(r"[A-Z][a-z]+ ", label)
    assert json.loads(moved)[0] == 1
    assert searched == '["succeeded",1]'
    assert refused == [
        '[401,"seat-key-needed"]',
        '[403,"wrong-seat-key"]',
        '[422,"broken-seal"]',
        '[422,"broken-seal"]',
        "[null,null,true]",
        "[null,null,true]",
        '[409,"stale-snapshot",null]',
    ]
    assert (tmp_path / "table.svg").read_text().startswith("<svg")


def test_a_phone_keeps_a_game_of_four_to_its_end(service: str) -> None:
    choice, lengths, heard = Random(4), set(), 0
    with http_client(base_url=f"{service}/v1/games/wichtel") as phone:

        def ask(operation: str, body: dict[str, Any], key: str | None = None) -> Any:
            answer = phone.post(operation, json=body, headers={} if key is None else {"Seat-Key": key})
            assert answer.is_success, answer.text
            return answer.json()

        made = ask("/snapshots?sealed=true", {"seat_count": SEATS, "options": {"goal": 20}})
        keys = [entry["key"] for entry in made["seat_keys"]]
        kept, answer = made["snapshot"], made
        while "outcome" not in answer:
            lengths.add(len(kept["token"]))
            seat = choice.choice(answer["actors"])
            body = {"snapshot": kept, "seat": seat}
            move = choice.choice(ask("/legal-moves", body, keys[seat])["moves"])["move"]
            answer = ask("/moves", {**body, "move": move}, keys[seat])
            kept, heard = answer["snapshot"], heard + len(answer["events"])
        lengths.add(len(kept["token"]))
        views = [ask("/views", {"snapshot": kept, "seat": seat}, keys[seat]) for seat in range(SEATS)]
    assert len(lengths) == 1
    assert heard > SEATS
    assert [view["seat"] for view in views] == list(range(SEATS))
    assert sum(answer["outcome"]["rewards"]) == pytest.approx(1)
