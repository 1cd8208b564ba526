"""The commands on the pages on history, bulk, evolution and fairness work as they stand."""

import json
import re
from pathlib import Path

from tests.e2e.pages import needs_curl_and_jq, run_blocks, script

pytestmark = needs_curl_and_jq


def pasted(page: str, service: str, checkout: Path, folder: Path) -> list[str]:
    """Return the output lines of all blocks of a page, one after the other."""
    return run_blocks(script(checkout / "docs" / page, service), folder)


def test_histories_replays_and_branches(service: str, checkout: Path, tmp_path: Path) -> None:
    lines_said = pasted("history.md", service, checkout, tmp_path)
    moved, rest = lines_said[:3], lines_said[3:]
    assert all(re.fullmatch(r'"[^"]+\."', line) for line in moved), "what each move made known"
    lines = [json.loads(line) for line in rest if re.match(r"\[\d+(,\"|\])", line)]
    versions = [version for version, *_ in lines]
    assert versions == list(range(1, len(lines) + 1)), "the caller's versions, without a gap"
    rest = rest[len(lines) :]
    assert json.loads(rest[0]) == [len(lines), 2, len(lines) > 2]
    assert [int(line) for line in rest[1 : len(lines) + 1]] == versions, "the same as lines of JSON"
    unchanged, branch, same, dealt, label, early, whole, replay, *undo = rest[len(lines) + 1 :]
    assert (unchanged, same, early) == ("304", "true", "session-running")
    assert json.loads(branch) == [len(lines), True, "running"]
    version, ply, actors = json.loads(dealt)
    assert (version, ply, len(actors)) == (1, 0, 1)
    assert label
    assert json.loads(whole)[2] == [0, 1, "spectators"]
    fits, moves, plies = json.loads(replay)
    assert (fits, moves) == (True, 3)
    assert plies == 3
    _, asked, consented, same, *told = undo
    seat = json.loads(asked)["seat"]
    assert json.loads(asked)["awaited"] == [1 - seat]
    assert (json.loads(consented), same) == (["running", [seat], False], "true")
    assert [json.loads(line)[-1] for line in told][1:] == ["undo_asked", "decision_undone"]
    assert [json.loads(line)[0] for line in told] == [True, None, None]


def test_many_sessions_at_once(service: str, checkout: Path, tmp_path: Path) -> None:
    limits, founded, secrets, replayed, *wrong = pasted("bulk.md", service, checkout, tmp_path)
    assert json.loads(limits)["batch_sessions"] >= 16
    assert json.loads(founded) == [16, 16, ["running", "waiting"]]
    assert json.loads(secrets) == 12 + 4 * 3
    assert replayed.strip().lower() == "idempotency-replayed: true"
    pointers = [json.loads(line)[0] for line in wrong]
    assert pointers == ["/sessions/3/game", "/sessions/7/seats", "/sessions/13/seats/0/kind"]


def test_how_the_service_changes(service: str, checkout: Path, tmp_path: Path) -> None:
    deprecated, answers, rulesets, refused = pasted("evolution.md", service, checkout, tmp_path)
    assert isinstance(json.loads(deprecated), list)
    assert answers == "0"
    today, read = json.loads(rulesets)
    assert read[0] == today
    assert json.loads(refused)[:2] == [422, "unknown-ruleset"]
    assert today in refused


def test_a_session_proves_that_it_was_fair(service: str, checkout: Path, tmp_path: Path) -> None:
    (tmp_path / "docs").symlink_to(checkout / "docs")
    said = pasted("fairness.md", service, checkout, tmp_path)
    commitment, *moved, running = said[:4]
    undealt, *claimed, dealt, by_claimer, hashed, open_proven, open_checked, open_changed = said[4:13]
    keys, what, cards, several, proven, checked, changed, by_hand = said[13:]
    assert re.fullmatch(r"[0-9a-f]{64}", commitment)
    assert len(moved) == 2
    assert json.loads(running) == [commitment, False]
    assert json.loads(undealt) == [409, "not-dealt"]
    assert [json.loads(line) for line in claimed] == [["my own words 1", "waiting"], ["my own words 2", "running"]]
    assert json.loads(dealt) == ["running", True, 1, 2]
    assert by_claimer == hashed
    assert open_proven.startswith("fair: ")
    assert json.loads(open_checked) == [True, []]
    assert re.fullmatch(r'\[false,"/set_up/\d+"\]', open_changed)  # the first draw may come out the same by chance
    assert (json.loads(keys), what, int(cards) > 20, several) == (["moves", "set_up"], '"dealt_gnome"', True, "true")
    assert re.fullmatch(r"fair: \d+ draws of \d+ moves follow from the keys that were committed to", proven)
    assert json.loads(checked) == [True, True, []]
    assert json.loads(changed) == [False, "/set_up/2"]
    assert by_hand == commitment
