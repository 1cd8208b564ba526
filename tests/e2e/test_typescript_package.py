"""The package of `clients/typescript`, out of its tarball, compiles in a user's program and plays against a service."""

import json
import re
import shutil
import tarfile
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.clients import packages
from tests.e2e.browser import Browser, needs_browser
from tests.e2e.test_typescript_client import installed, run_program

PACKAGE = Path(__file__).parents[2] / "clients" / "typescript"
PROGRAMS = Path(__file__).parents[1] / "clients" / "npm"
EXAMPLE = re.compile(r"```ts\n(.*?)```", re.DOTALL)
UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
NODE_GLOBALS = re.compile(r"\bnode:|\b(?:Buffer|process|require|__dirname|setImmediate)\b")
PAGE = """<!doctype html><meta charset="utf-8"><title>A page elsewhere</title>
<script type="importmap">{"imports": {
  "@dorfplatz/client": "/node_modules/@dorfplatz/client/dist/index.js",
  "openapi-fetch": "/node_modules/openapi-fetch/dist/index.mjs"
}}</script>
<script type="module">
  import { Client } from "@dorfplatz/client";
  const client = new Client(location.hash.slice(1));
  const seat = (await client.play("hoher-rat", { bots: ["random"], options: { turn_cap: 4 }, bot_ms: 0 })).seat(0);
  for await (const decision of seat.decisions()) {
    const [move] = await seat.legalMoves();
    if (move) await seat.move(move);
  }
  const told = [];
  for await (const { event } of seat.events()) told.push(event);
  window.played = { status: seat.state.status, told };
</script>"""
"""A page of a stranger's, from an origin of its own; the part of its address behind # is the service's."""
SHORT_GAMES: list[dict[str, Any]] = [
    {"game": "hoher-rat", "seats": 2, "options": {"turn_cap": 12}},
    {"game": "wichtel", "seats": 3, "options": {"goal": 25}},
    {"game": "gartenzwerge", "seats": 2, "options": {"round_cap": 8}},
    {"game": "barbarossa", "seats": 3, "options": {"turn_cap": 12, "language": "en"}},
]

pytestmark = [
    pytest.mark.usefixtures("service"),  # so that one process runs them all and compiles once
    pytest.mark.skipif(
        shutil.which("node") is None or shutil.which("npm") is None, reason="needs node and npm on PATH"
    ),
]


@pytest.fixture(scope="module")
def user(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("npm")
    locked = installed(checkout, PACKAGE)
    ignored = shutil.ignore_patterns("node_modules", "dist")
    source = shutil.copytree(PACKAGE, folder / "package", ignore=ignored)
    (source / "node_modules").symlink_to(locked)
    tarball = run_program(["npm", "pack", "--silent", "--pack-destination", str(folder)], source).splitlines()[-1]
    home = shutil.copytree(PROGRAMS, folder / "user")
    needed = home / "node_modules"
    place = needed / "@dorfplatz"
    place.mkdir(parents=True)
    with tarfile.open(folder / tarball) as packed:
        packed.extractall(place, filter="data")
    (place / "package").rename(place / "client")
    for name in ("openapi-fetch", "openapi-typescript-helpers", "@types", "undici-types"):
        (needed / name).symlink_to(locked / name)
    (example,) = EXAMPLE.findall((PACKAGE / "README.md").read_text("utf-8"))
    (home / "example.ts").write_text(example, "utf-8")
    sample, *_ = EXAMPLE.findall((checkout / "docs" / "guides" / "typescript-client.md").read_text("utf-8"))
    (home / "guide.ts").write_text(sample, "utf-8")
    run_program([str(locked / ".bin" / "tsc")], home)
    return home


class Quiet(SimpleHTTPRequestHandler):
    """Serves a folder and keeps no log."""

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 -- its name in the library
        """Discard the message."""


@pytest.fixture
def elsewhere(user: Path) -> Iterator[str]:
    """Yield the address of a page of another origin that has the package from the same folder."""
    (user / "index.html").write_text(PAGE, "utf-8")
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(user))) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def toured(user: Path, service: str) -> Any:
    """Return the output of one process of Node with the globals of every platform and no others."""
    return json.loads(run_program(["node", "out/tour.js", service, json.dumps(SHORT_GAMES)], user))


@pytest.fixture(scope="module")
def scripted(user: Path) -> Any:
    """Return the actions of a client of a service with scripted responses."""
    return json.loads(run_program(["node", "out/script.js"], user))


def test_the_types_of_the_package_are_the_contract_s(checkout: Path) -> None:
    for file, text in packages.typescript(installed(checkout, PACKAGE).parent).items():
        assert file.read_text() == text, f"{file} is stale: python3 dev.py clients"


def test_the_tarball_has_what_it_needs_and_nothing_of_node(user: Path) -> None:
    package = user / "node_modules" / "@dorfplatz" / "client"
    files = {str(file.relative_to(package)) for file in package.rglob("*") if file.is_file()}
    assert {
        "LICENSE",
        "README.md",
        "package.json",
        "dist/index.js",
        "dist/index.d.ts",
        "dist/generated/contract.d.ts",
    } <= files
    assert {file.split("/")[0] for file in files} == {"LICENSE", "README.md", "package.json", "dist"}
    built = {file: (package / file).read_text() for file in files if file.endswith(".js")}
    assert {file: NODE_GLOBALS.findall(text) for file, text in built.items() if NODE_GLOBALS.search(text)} == {}
    imported = {name for text in built.values() for name in re.findall(r'from "([^."][^"]*)"', text)}
    assert imported == set(json.loads((package / "package.json").read_text())["dependencies"]) == {"openapi-fetch"}


def test_the_compiler_refuses_what_a_game_does_not_know(user: Path) -> None:
    # A line that the compiler would take in spite of its mark is an error, and `user` was compiled without one.
    assert (user / "types.ts").read_text().count("@ts-expect-error") == 6 + 1  # and the heading names the mark
    assert (user / "out" / "types.js").exists()


def test_the_sample_of_the_guide_plays_a_game_as_printed(user: Path, service: str) -> None:
    sample = user / "out" / "guide.js"
    text = sample.read_text("utf-8")
    assert (text.count("http://localhost:8000"), text.count('["hard"]')) == (1, 1)
    text = text.replace("http://localhost:8000", service)
    quick = text.replace('["hard"]', '["random"], options: { turn_cap: 12 }, bot_ms: 0')
    sample.write_text(f"{quick}\nconsole.log(seat.state.status);", "utf-8")
    assert run_program(["node", "out/guide.js"], user) == "finished\n"


def test_the_example_of_the_readme_plays_a_game(user: Path, service: str) -> None:
    example = user / "out" / "example.js"
    assert len((user / "example.ts").read_text("utf-8").splitlines()) <= 10
    text = example.read_text("utf-8")
    assert "http://localhost:8000" in text
    example.write_text(text.replace("http://localhost:8000", service), "utf-8")
    assert len(run_program(["node", "out/example.js"], user).splitlines()) > 2


def test_a_game_of_each_title_is_played_without_anything_of_node(toured: Any) -> None:
    assert {"process", "Buffer", "crypto", "URL", "structuredClone"} <= set(toured["hidden"])
    assert [each["game"] for each in toured["games"]] == [each["game"] for each in SHORT_GAMES]
    for each in toured["games"]:
        assert each["status"] == "finished"
        assert each["moves"] > 0
        assert (each["told"][0], each["told"][-1]) == ("state", "end")


@needs_browser
def test_a_page_of_another_origin_plays_a_game_in_a_browser(browser: Browser, service: str, elsewhere: str) -> None:
    browser.visit(f"{elsewhere}#{service}")
    browser.until("window.played")
    played = browser.run("window.played")
    assert played["status"] == "finished"
    assert (played["told"][0], played["told"][-1]) == ("state", "end")


def test_a_stream_tells_a_move_and_jobs_tell_their_progress(toured: Any) -> None:
    assert toured["heard"][0] == "state"
    assert toured["heard"][-1] == "change"
    assert toured["steps"][-1] == toured["simulated"] == toured["cost"] == 4
    assert toured["canceled"] == "canceled"
    assert toured["resigned"] == "forfeited"


def test_a_body_that_is_no_stream_is_requested_again(toured: Any) -> None:
    assert toured["polled"]["status"] == "finished"
    assert toured["polled"]["told"] == ["state", "end"]
    assert toured["looked"] == 2


def test_a_rule_that_forbids_a_move_is_told_with_its_place(toured: Any) -> None:
    refused = toured["refused"]
    assert (refused["code"], refused["status"], refused["rule"]) == ("illegal-move", 422, "HR-43")
    assert refused["pointer"] == "/move/source"
    assert refused["sentence"].endswith(".")


def test_a_move_whose_answer_is_lost_is_sent_again_with_the_same_key_and_version(scripted: Any) -> None:
    again = scripted["again"]
    assert again["version"] == 8
    assert len(again["sent"]) == 5
    assert again["waits"] == [None, 409, 503, None]
    assert all(each == again["sent"][0] for each in again["sent"])
    assert UUID.fullmatch(again["sent"][0]["key"])
    assert again["sent"][0]["match"] == '"7.en.~m"'
    assert again["next"]["key"] != again["sent"][0]["key"]
    assert again["next"]["match"] == '"8"'
    assert scripted["away"] == ["TypeError: lost", 6]


def test_a_refusal_is_an_exception_with_its_rule(scripted: Any) -> None:
    illegal, stale, foreign = scripted["refusals"]
    assert illegal == {
        "code": "illegal-move",
        "status": 422,
        "rule": "HR-1",
        "sentence": "This rule forbids it.",
        "pointer": "/move/card",
        "message": "No. This rule forbids it.",
    }
    assert (stale["code"], stale["status"], stale["sentence"]) == ("stale-version", 412, "No.")
    assert (foreign["code"], foreign["status"]) == ("", 404)
    assert scripted["gone"]["code"] == "history-cut"
    assert scripted["failed"]["code"] == "broken-view"


def test_a_stream_goes_on_after_the_last_cursor_and_a_signal_ends_a_wait(scripted: Any) -> None:
    told = [json.loads(each) for each in scripted["resumed"]["told"]]
    assert [each["event"] for each in told] == ["state", "change", "end"]
    assert told[1]["data"]["text"] == "Zwölf"
    assert scripted["resumed"]["last"] == [None, "7-1", "7-1"]
    assert scripted["stopped"] == "Error: enough"
