"""Generated clients of the contract compile, read all messages at a table and play a session.

`python3 dev.py bench clients` tries more of them than a run of the tests has time for.
"""

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from bench import clients
from bench.environment import Missing
from bench.generators import PROGRAMS, Client, HeyApi, Java, Python, Tools
from bench.recording import Contract, Message, examples, session

GAME = "hoher-rat"
SEED = "stonehenge-46"
OF_ONE_GAME = [
    f"{game}{union}" for game in ("Barbarossa", "Gartenzwerge", "HoherRat", "Wichtel") for union in ("Event", "Move")
]
WRONG = Message("GameSlug", "halma")
NODE_SAYS_NOTHING = {"REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true"}

pytestmark = pytest.mark.skipif(
    any(shutil.which(program) is None for program in ("node", "npm", "java", "javac")),
    reason="needs node, npm, java and javac on PATH",
)


@pytest.fixture(scope="module")
def tools(checkout: Path) -> Tools:
    """Return the generators and their tools, installed as locked."""
    tools = Tools(checkout / "build" / "clients")
    try:
        assert tools.jar.exists()
        assert tools.node.exists()
    except Missing as problem:
        pytest.fail(str(problem))
    return tools


@pytest.fixture(scope="module")
def contract(checkout: Path) -> Contract:
    return Contract(checkout / "openapi" / "openapi.yaml")


@pytest.fixture(scope="module")
def messages(contract: Contract, checkout: Path, service: str) -> list[Message]:
    recorded = examples(contract, checkout / "openapi" / "examples")
    return [*recorded, *session(contract, service, GAME, SEED, turn_cap=8)]


@pytest.fixture(scope="module")
def hey_api(tools: Tools, checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> HeyApi:
    client = HeyApi(tools, tmp_path_factory.mktemp("hey_api"), checkout / "openapi" / "openapi.yaml")
    client.generate()
    return client


@pytest.fixture(scope="module")
def judged(hey_api: HeyApi, messages: list[Message]) -> list[Any]:
    """Compile the client; return the compiler's verdict on all messages and, after them, on a wrong one."""
    return hey_api.echo([*messages, WRONG])


def reads_everything_and_plays(
    client: Client, contract: Contract, messages: list[Message], told: list[Any], address: str
) -> None:
    assert clients.read(contract, messages, told) == f"yes, all {len(messages):,}"
    assert len({message.schema for message in messages}) > 60
    assert client.play(address, SEED)["moves"] > 10


def test_a_client_in_typescript_reads_everything_without_loss_and_plays(
    hey_api: HeyApi, contract: Contract, messages: list[Message], judged: list[Any], service: str
) -> None:
    reads_everything_and_plays(hey_api, contract, messages, judged[:-1], service)


def test_a_client_in_java_reads_everything_without_loss_and_plays(
    tools: Tools, contract: Contract, messages: list[Message], service: str, checkout: Path, tmp_path: Path
) -> None:
    client = Java(tools, tmp_path, checkout / "openapi" / "openapi.yaml")
    client.generate()
    client.compile()
    reads_everything_and_plays(client, contract, messages, client.echo(messages), service)


def test_a_client_of_the_older_document_works(tools: Tools, service: str, checkout: Path, tmp_path: Path) -> None:
    client = Python(tools, tmp_path, checkout / "openapi" / "openapi.yaml")
    client.generate()
    client.compile()
    assert client.play(service, SEED)["moves"] > 10


def test_a_client_notices_a_foreign_message(contract: Contract, messages: list[Message], judged: list[Any]) -> None:
    assert judged[-1].startswith(f"!src/recorded.ts({len(messages) + 2},")
    assert clients.read(contract, [messages[0], WRONG], [judged[0], judged[-1]]).startswith("1 of 2;")


def test_the_linter_finds_nothing_that_has_no_reason(tools: Tools, checkout: Path) -> None:
    program = [str(tools.node / ".bin" / "redocly"), "lint", str(checkout / "openapi" / "openapi.yaml")]
    told = ["--config", str(PROGRAMS / "redocly.yaml"), "--format", "json"]
    environment = {**os.environ, **NODE_SAYS_NOTHING}
    done = subprocess.run([*program, *told], capture_output=True, text=True, env=environment, check=False)
    found = {(each["ruleId"], each["message"]) for each in json.loads(done.stdout)["problems"]}
    assert found == {("no-unused-components", f'Component: "{name}" is never used.') for name in OF_ONE_GAME}
    assert done.returncode == 0
