"""Trial of generators of clients with the contract: `python3 dev.py bench clients` writes `docs/clients.md`.

Each client is generated, compiled, given every message of whole sessions to read and write, and plays a session against
a service of this run. A message is read without loss if it comes back the same; times may have another form.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from string import Template
from typing import Any, Final

import msgspec

from bench.environment import Missing
from bench.generators import CLIENTS, Broken, Client, Tools
from bench.recording import SEATS, Contract, Message, examples, session
from bench.report import table
from bench.town import Town

RESULT_FILE: Final = Path(__file__).resolve().parent / "results" / "clients.json"
TEMPLATE: Final = Path(__file__).with_suffix(".md")
PAGE: Final = Path(__file__).resolve().parent.parent / "docs" / "clients.md"
SEED: Final = "stonehenge-46"
WORDS: Final = ("$ref", "discriminator", "oneOf", "anyOf", "allOf", "not", "prefixItems")
"""Keys of a schema that give it a form of its own."""

HEAD: Final = ("Generator", "generates", "compiles", "reads a recorded session", "plays a live one")


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """The result of one client: `yes`, or the missing part."""

    client: str
    options: str
    generates: str
    compiles: str
    reads: str
    plays: str


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """One run, as it is kept in `bench/results`."""

    date: str
    messages: int
    components: int
    shapes: list[str]
    rows: list[Row]


def run(say: Callable[[str], None], wanted: str = "") -> Result:
    """Measure every client, or those of whose names this is a part: the others stay as they were."""
    contract = Contract()
    rows = {row.client: row for row in load_result().rows} if wanted else {}
    with tempfile.TemporaryDirectory(prefix="clients-") as name, Town(Path(name)) as town:
        address = f"http://127.0.0.1:{town.port}"
        messages = [*examples(contract)]
        for game in SEATS:
            messages += session(contract, address, game, SEED)
            say(f"recorded a session of {game}: {len(messages)} messages")
        for kind in CLIENTS:
            if any(part in kind.name for part in wanted.split(",")):
                rows[kind.name] = measured(kind, Path(name), messages, address)
                say(f"{rows[kind.name]}")
    return Result(
        date=time.strftime("%Y-%m-%d", time.gmtime()),
        messages=len(messages),
        components=len({message.schema for message in messages}),
        shapes=sorted(shapes(contract.schemas)),
        rows=[rows[kind.name] for kind in CLIENTS],
    )


def measured(kind: type[Client], folder: Path, messages: list[Message], address: str) -> Row:
    """Take one client through all steps; a failing step ends it."""
    own = folder / kind.__name__
    own.mkdir()
    client, told = kind(Tools(), own), dict.fromkeys(("generates", "compiles", "reads", "plays"), "—")
    steps: dict[str, Callable[[], str]] = {
        "generates": lambda: _done(client.generate),
        "compiles": lambda: _done(client.compile),
        "reads": lambda: read(Contract(), messages, client.echo(messages)),
        "plays": lambda: play_session(client, address),
    }
    for step, act in steps.items():
        try:
            told[step] = act()
        except Broken as problem:
            told[step] = f"no: {problem}".replace(str(folder), "")
            break
        except Missing as problem:
            told[step] = f"not tried: {problem}"
            break
    shutil.rmtree(own)
    return Row(client=kind.name, options=kind.options, **told)


def _done(step: Callable[[], None]) -> str:
    step()
    return "yes"


def read(contract: Contract, messages: list[Message], back: list[Any]) -> str:
    """Return the number of messages that came back as they were."""
    defaults = defaults_of(contract)
    lost = []
    for message, seen in zip(messages, back, strict=True):
        if place := difference(message.body, seen, defaults):
            lost.append(seen if isinstance(seen, str) else f"{message.schema} comes back changed at {'/'.join(place)}")
    if not lost:
        return f"yes, all {len(messages):,}"
    return f"{len(messages) - len(lost):,} of {len(messages):,}; the first of the others: {lost[0]}"


Defaults = dict[str, list[Any]]
"""The values that a property of a name has if it is left out."""


def defaults_of(contract: Contract) -> Defaults:
    """Return the defaults of all components' properties by their names: null for optional or nullable ones."""
    found: Defaults = {}
    for schema in contract.schemas.values():
        for name, of in schema.get("properties", {}).items():
            nullable = "null" in of.get("type", ()) or {"type": "null"} in of.get("oneOf", ())
            if "default" in of:
                found.setdefault(name, []).append(of["default"])
            if nullable and name not in schema.get("required", ()):
                found.setdefault(name, []).append(None)
    return found


def difference(sent: Any, seen: Any, defaults: Defaults) -> list[str]:
    """Return the place where two pieces of JSON differ first, as the keys on the way; none if they are equal.

    A time may have another form, and a default may be written out or left out.
    """
    if isinstance(sent, dict) and isinstance(seen, dict):
        for key in sorted(sent.keys() | seen.keys()):
            if key in sent and key in seen:
                if deeper := difference(sent[key], seen[key], defaults):
                    return [key, *deeper]
            elif {**sent, **seen}[key] not in defaults.get(key, ()):
                return [key]
        return []
    if isinstance(sent, list) and isinstance(seen, list) and len(sent) == len(seen):
        for at, (one, other) in enumerate(zip(sent, seen, strict=True)):
            if deeper := difference(one, other, defaults):
                return [str(at), *deeper]
        return []
    return [] if sent == seen or (isinstance(sent, str) and isinstance(seen, str) and _instant(sent, seen)) else ["."]


def _instant(sent: str, seen: str) -> bool:
    try:
        return datetime.fromisoformat(sent) == datetime.fromisoformat(seen)
    except (TypeError, ValueError):
        return False


def play_session(client: Client, address: str) -> str:
    """Let a client play and return the result."""
    told = client.play(address, SEED)
    if told["status"] != "finished":
        raise Broken(f"the session is {told['status']}")
    return f"yes, by {client.played_by}" if client.played_by else "yes"


def shapes(schemas: dict[str, Any]) -> set[str]:
    """Return the forms of schemas that a document has, whatever they are called: a new one may break a generator."""
    return {shape for schema in schemas.values() for shape in _shapes("component", schema)}


def _shapes(place: str, schema: Any) -> Iterator[str]:
    if not isinstance(schema, dict):
        yield f"{place}: {schema}"
        return
    yield f"{place}: {' '.join(_words(schema))}"
    for each in schema.get("properties", {}).values():
        yield from _shapes("property", each)
    for part in ("items", "additionalProperties"):
        if part in schema:
            yield from _shapes(part, schema[part])
    for part in ("oneOf", "anyOf", "allOf", "prefixItems"):
        for each in schema.get(part, ()):
            yield from _shapes(f"member of {part}", each)


def _words(schema: dict[str, Any]) -> Iterator[str]:
    kinds = schema.get("type", [])
    yield from sorted([kinds] if isinstance(kinds, str) else kinds)
    for key in ("format", "contentMediaType"):
        if key in schema:
            yield f"{schema[key]}"
    yield from (key for key in WORDS if key in schema)
    for key in ("const", "default"):
        if key in schema:
            yield f"{key} {type(schema[key]).__name__}"
    if "enum" in schema:
        yield f"enum of {' '.join(sorted({type(value).__name__ for value in schema['enum']}))}"


def document(result: Result) -> str:
    """Return the page of a result."""
    rows = [(row.client, row.generates, row.compiles, row.reads, row.plays) for row in result.rows]
    options = "\n".join(f"- `{row.client}`: `{row.options}`" for row in result.rows if row.options)
    given = {"date": result.date, "messages": f"{result.messages:,}", "components": result.components}
    return Template(TEMPLATE.read_text("utf-8")).substitute(given, table=table(HEAD, rows), options=options)


def write(result: Result) -> None:
    """Keep a result and write its page."""
    RESULT_FILE.write_bytes(msgspec.json.format(msgspec.json.encode(result), indent=2) + b"\n")
    PAGE.write_text(document(result), "utf-8")


def load_result() -> Result:
    """Return the result that is kept."""
    return msgspec.json.decode(RESULT_FILE.read_bytes(), type=Result)
