"""The rule that is cited for a touch is one of a move that touches just that, in every game."""

import json
import re
import shutil
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, Union

import msgspec
import pytest

from games.core.game import Game
from games.core.registry import registered
from service.snapshots.engine import validate_move
from service.snapshots.errors import SnapshotError
from tests.e2e.test_play import SOURCES, needs_node
from tests.e2e.test_typescript_client import installed, run_program
from tests.pictures.stages import play_tables

pytestmark = needs_node

POSITIONS: Final = 12

SCRIPT: Final = """
import { readFileSync } from "node:fs";
import { imagined } from "./choice.js";
const found = JSON.parse(readFileSync("positions.json", "utf-8"));
console.log(JSON.stringify(found.map(({ moves, refs }) => refs.map((ref) => imagined(moves, [], ref)))));
"""

RULES: Final = {
    ("hoher-rat", "place_follower", "field"): {"HR-34"},
    ("hoher-rat", "place_speaker", "field"): {"HR-34"},
    ("hoher-rat", "promote_follower", "field"): {"HR-35", "HR-D15"},
    ("hoher-rat", "claim_field", "field"): {"HR-34", "HR-36", "HR-38"},
    ("hoher-rat", "convince", "field"): {"HR-43"},
    ("hoher-rat", "place_follower", "follower"): {"HR-9", "HR-10"},
    ("hoher-rat", "convince", "follower"): {"HR-9", "HR-10"},
    ("hoher-rat", "convince", "argument"): {"HR-45", "HR-49"},
    ("hoher-rat", "discuss", "bank"): {"HR-27"},
    ("barbarossa", "ask_about", "riddle"): {"BR-D8", "BR-D9", "BR-42"},
    ("wichtel", "swap_gnome", "seat"): {"HW-18"},
    ("gartenzwerge", "send_to_garden", "dwarf"): {"GZ-21"},
}
"""The rules that may forbid a move of a kind because of the touched thing, by its role."""


def positions(game: Game) -> Iterator[tuple[Any, int, list[dict[str, Any]], list[str]]]:
    for seats in game.seat_numbers:
        tables = play_tables(game, seats)[:-1]
        for table in tables[:: max(1, len(tables) // POSITIONS)]:
            if not (actors := game.actors(table)):
                continue
            view = game.view(table, actors[0])
            moves = [game.decode(table, code) for code in game.listing(table, actors[0])]
            listed = [{"move": json.loads(msgspec.json.encode(move)), "refs": game.refs(move, view)} for move in moves]
            drawn = set(re.findall(r'data-ref="([^"]+)"', game.picture(view, "en", "light")))
            yield table, actors[0], listed, sorted(drawn - {ref for each in listed for ref in each["refs"]})


@pytest.fixture(scope="module")
def folder(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("choice")
    (place / "package.json").write_text('{"type": "module"}')
    (place / "main.js").write_text(SCRIPT)
    esbuild = installed(checkout, SOURCES) / ".bin" / "esbuild"
    run_program(
        [str(esbuild), str(SOURCES / "src" / "choice.ts"), "--format=esm", f"--outfile={place / 'choice.js'}"], place
    )
    return place


@pytest.mark.parametrize("slug", ["hoher-rat", "wichtel", "gartenzwerge", "barbarossa"])
def test_a_touch_is_explained_by_a_move_that_touches_it(folder: Path, slug: str) -> None:
    game = registered()[slug]
    found = list(positions(game))
    (folder / "positions.json").write_text(
        json.dumps([{"moves": moves, "refs": refs} for _, _, moves, refs in found]), "utf-8"
    )
    judged = json.loads(run_program([shutil.which("node") or "", "main.js"], folder))
    rules: dict[tuple[str, str, str], set[str]] = defaultdict(set)
    for (table, seat, _, refs), imagined in zip(found, judged, strict=True):
        for ref, moves in zip(refs, imagined, strict=True):
            for wanted in moves:
                try:
                    move = msgspec.convert(wanted, Union[tuple(game.moves)])  # noqa: UP007 -- of a tuple
                except msgspec.ValidationError:
                    continue  # the service refuses it without a rule, so the client cites none
                assert ref in game.refs(move, game.view(table, seat)), (ref, wanted)
                with pytest.raises(SnapshotError) as refused:
                    validate_move(game, table, seat, move, "en")
                rules[slug, wanted["kind"], ref.partition("/")[0]] |= {
                    fault.rule or "" for fault in refused.value.errors
                }
    known = {key: allowed for key, allowed in RULES.items() if key[0] == slug}
    assert known.keys() <= rules.keys()
    assert {key: rules[key] - allowed for key, allowed in known.items()} == {key: set() for key in known}
