"""Converts an OpenAPI document to objects for page templates.

The objects are operations, grouped by resource, and schemas with their fields. The module works for any OpenAPI
document, because the code contains no names from our API.
"""

from __future__ import annotations

import json
import pprint
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

from service.docs.sources import Sources
from service.http.problems import MEDIA_TYPE, TEXTS

METHODS: Final = ("get", "post", "put", "patch", "delete")
EXAMPLE_ADDRESS: Final = "http://127.0.0.1:8000"
"""Base URL in examples, the same as in the guides."""

DEPTH: Final = 2
MAX_NODES: Final = 120
"""Maximum number of nodes in the tree of a schema. If the children of a node do not fit, the tree omits them."""

MAX_EXAMPLE_CHARACTERS: Final = 6_000
"""Maximum length in characters of an example on a page."""

MAX_CODES: Final = 2
"""Maximum number of problem codes in the heading of a response; with more, the heading shows only their number."""

_CODE: Final = re.compile(r"`([a-z-]+)`:")
_REF: Final = "#/components/schemas/"
_BOUNDS: Final = (
    ("minimum", "at least {}"),
    ("maximum", "at most {}"),
    ("exclusiveMinimum", "more than {}"),
    ("minLength", "at least {} characters"),
    ("maxLength", "at most {} characters"),
    ("minItems", "at least {} items"),
    ("maxItems", "at most {} items"),
    ("pattern", "matches {}"),
)
_NULL: Final = {"type": "null"}


@dataclass(slots=True)
class SchemaNode:
    """A field or a variant in a schema. It has a name and a type, and may have fields of its own."""

    name: str
    kind: str
    required: bool = False
    description: str = ""
    bounds: str = ""
    values: list[str] = field(default_factory=list)
    schema: str | None = None
    children: list[SchemaNode] = field(default_factory=list)
    choice: bool = False


class Schemas:
    """The schemas of an OpenAPI document."""

    def __init__(self, spec: Mapping[str, Any]) -> None:
        self.by_name: dict[str, dict[str, Any]] = spec["components"]["schemas"]

    def unfold(self, schema: Mapping[str, Any], name: str = "") -> SchemaNode:
        """Return a schema as a tree. The tree has a maximum depth and size, so that the tree fits on a page."""
        return self._node(name, schema, depth=DEPTH, left=[MAX_NODES])

    def page(self, name: str) -> SchemaNode:
        return self.unfold(self.by_name[name], name)

    def _node(self, name: str, schema: Mapping[str, Any], *, depth: int, left: list[int]) -> SchemaNode:
        left[0] -= 1
        inner, kind, link = self._resolve(schema)
        node = SchemaNode(name, kind, schema=link, description=schema.get("description", inner.get("description", "")))
        node.bounds = bounds(dict(schema) | dict(inner) if link is None else inner)
        choices = inner.get("enum", inner.get("x-extensible-enum", [inner["const"]] if "const" in inner else ()))
        node.values = [str(value) for value in choices]
        if link is None or depth > 0:
            self._fill(node, inner, depth - (link is not None), left)
        return node

    def _fill(self, node: SchemaNode, inner: Mapping[str, Any], depth: int, left: list[int]) -> None:
        wanted = inner.get("required", ())
        fields = inner.get("properties", {})
        choices = _choices(inner)
        if left[0] < len(fields) + len(choices):
            return
        left[0] -= len(fields) + len(choices)
        for name, schema in fields.items():
            child = self._node(name, schema, depth=depth, left=left)
            child.required = name in wanted
            node.children.append(child)
        for schema in choices:
            child = self._node("", schema, depth=depth if len(choices) <= 6 else 0, left=left)  # noqa: PLR2004 -- so many can be told apart at a glance
            child.choice = True
            node.children.append(child)

    def _resolve(self, schema: Mapping[str, Any]) -> tuple[Mapping[str, Any], str, str | None]:
        if "$ref" in schema:
            name = str(schema["$ref"]).removeprefix(_REF)
            return self.by_name.get(name, {}), name, name
        choices = _choices(schema)
        if "items" in schema:
            inner, kind, link = self._resolve(schema["items"])
            return inner, f"list of {kind}", link
        rest = [choice for choice in choices if choice != _NULL]
        if len(rest) == 1 and len(choices) > 1:
            inner, kind, link = self._resolve(rest[0])
            return inner, f"{kind} or null", link
        if choices:
            return schema, "one of", None
        extra = schema.get("additionalProperties")
        if isinstance(extra, dict) and extra:
            inner, kind, link = self._resolve(extra)
            return inner, f"object of {kind}", link
        kind = schema.get("type", "anything")
        return schema, " or ".join(kind) if isinstance(kind, list) else str(kind), None


def _choices(schema: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [*schema.get("oneOf", ()), *schema.get("anyOf", ()), *schema.get("allOf", ())]


def bounds(schema: Mapping[str, Any]) -> str:
    """Return the constraints of a schema as text, without its type."""
    said = [text.format(schema[key]) for key, text in _BOUNDS if key in schema]
    said += [f"{key} {json.dumps(schema[key])}" for key in ("const", "default") if key in schema]
    return ", ".join([*([str(schema["format"])] if "format" in schema else []), *said])


@dataclass(frozen=True, slots=True)
class Example:
    """A recorded request and the text of its response. `language` selects the syntax highlighting of the text."""

    name: str
    request: Mapping[str, Any]
    status: int
    body: str
    language: str


@dataclass(frozen=True, slots=True)
class DescribedReply:
    """A documented response of an operation. It has a status, a description, fields, headers and media types."""

    status: str
    description: str
    node: SchemaNode | None
    headers: list[tuple[str, str]]
    kinds: list[str]

    @property
    def fine(self) -> bool:
        return self.status[0] in "23"

    @property
    def codes(self) -> list[str]:
        """The codes of the problems that the response can contain."""
        return re.findall(_CODE, self.description)

    @property
    def title(self) -> str:
        codes = self.codes
        if not codes:
            return self.description or "Any other problem"
        return " · ".join(f"`{code}`" for code in codes) if len(codes) <= MAX_CODES else f"{len(codes)} problems"

    @property
    def said(self) -> list[str]:
        """The descriptions of the problems that the response can contain, as Markdown with links."""
        parts = self.description.split("; ") if self.codes else []
        return [re.sub(_CODE, r"[`\1`](/docs/problems/\1):", part) for part in parts]


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of an operation. `values` are its allowed values, if its schema lists them."""

    name: str
    where: str
    required: bool
    description: str
    kind: str
    bounds: str
    values: list[str]


class DocumentedOperation:
    """An operation in the OpenAPI document."""

    def __init__(self, method: str, path: str, said: Mapping[str, Any], spec: Mapping[str, Any]) -> None:
        self.method, self.path, self._said, self._spec = method.upper(), path, said, spec
        self.id: str = said["operationId"]
        self.tag: str = said["tags"][0]
        self.summary: str = said.get("summary", self.id)
        self.description: str = said.get("description", "")
        self.deprecated: bool = said.get("deprecated", False)

    @property
    def security(self) -> list[list[str]]:
        """Lists of security schemes. Each list is one way to authenticate a request.

        The operation allows a request that has a credential for every scheme in one of these lists. If one of the lists
        is empty, the operation also allows requests without credentials.
        """
        ways: list[list[str]] = []
        for way in self._said.get("security", ()):
            if sorted(way) not in ways:
                ways.append(sorted(way))
        return ways

    @property
    def problems(self) -> list[str]:
        replies = self._said["responses"].items()
        return list(dict.fromkeys(code for status, reply in replies for code in self._codes(status, reply)))

    def _codes(self, status: str, reply: Mapping[str, Any]) -> list[str]:
        if status == "default" or "$ref" not in reply:
            return []
        if "description" in reply:
            return re.findall(r"`([a-z-]+)`", reply["description"])
        return list(self._followed(dict(reply)).get("content", {}).get(MEDIA_TYPE, {}).get("examples", {}))

    def parameters(self) -> list[Parameter]:
        found = [self._followed(parameter) for parameter in self._said.get("parameters", ())]
        schemas = Schemas(self._spec)
        return [
            Parameter(
                each["name"],
                each["in"],
                each.get("required", False),
                each.get("description", ""),
                (node := schemas.unfold(each.get("schema", {}))).kind,
                node.bounds,
                node.values,
            )
            for each in found
        ]

    def body(self) -> tuple[str, SchemaNode] | None:
        said = self._said.get("requestBody")
        if said is None:
            return None
        (content, *_) = said["content"].values()
        return said.get("description", ""), Schemas(self._spec).unfold(content["schema"])

    def replies(self) -> Iterator[DescribedReply]:
        for status, found in self._said["responses"].items():
            said = self._followed(found)
            content = said.get("content", {})
            schema = next((media["schema"] for media in content.values() if "schema" in media), None)
            node = None if schema is None else Schemas(self._spec).unfold(schema)
            headers = [
                (name, self._followed(header).get("description", ""))
                for name, header in said.get("headers", {}).items()
            ]
            told = "; ".join(f"`{code}`: {TEXTS.say('en', 'titles', code)}" for code in self._codes(status, found))
            yield DescribedReply(status, told or said.get("description", ""), node, headers, list(content))

    @cached_property
    def schema_names(self) -> set[str]:
        return set(re.findall(rf'"{re.escape(_REF)}(\w+)"', json.dumps(self._said)))

    def _followed(self, said: dict[str, Any]) -> dict[str, Any]:
        if "$ref" not in said:
            return said
        found: Any = self._spec
        for part in said["$ref"].removeprefix("#/").split("/"):
            found = found[part]
        return {**found, **{key: value for key, value in said.items() if key != "$ref"}}

    def examples(self, sources: Sources) -> list[Example]:
        """Return the recorded examples of this operation. Examples of successful requests come first."""
        found = []
        for name, exchange in sources.requests(self.id).items():
            answer = exchange["response"]
            body = answer.get("body")
            is_text = isinstance(body, str)
            text = str(body) if is_text else json.dumps(body, indent=2, ensure_ascii=False)
            if len(text) > MAX_EXAMPLE_CHARACTERS:
                text = text[:MAX_EXAMPLE_CHARACTERS] + "\n…"
            shown = "" if body is None else text
            found.append(Example(name, exchange["request"], answer["status"], shown, "text" if is_text else "json"))
        return found

    def bare_request(self) -> dict[str, Any]:
        """Return a request for an operation that has no recorded example of a successful request.

        The body is the operation's first example body in the OpenAPI document, if there is one.
        """
        content = self._said.get("requestBody", {}).get("content", {})
        examples = [example for media in content.values() for example in media.get("examples", {}).values()]
        body = {"body": examples[0]["value"]} if examples else {}
        return {"method": self.method, "path": self.path, "headers": {}} | body


def operations(spec: Mapping[str, Any]) -> list[DocumentedOperation]:
    return [
        DocumentedOperation(method, path, item[method], spec)
        for path, item in spec["paths"].items()
        for method in METHODS
        if method in item
    ]


def by_tag(found: Sequence[DocumentedOperation]) -> dict[str, list[DocumentedOperation]]:
    tags: dict[str, list[DocumentedOperation]] = {}
    for operation in found:
        tags.setdefault(operation.tag, []).append(operation)
    return tags


def samples(request: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return a request as code for curl, TypeScript and Python. An item is a pair (language, code)."""
    url, method, headers = EXAMPLE_ADDRESS + request["path"], request["method"], dict(request["headers"])
    body = request.get("body")
    if body is not None:
        headers = {"Content-Type": "application/json", **headers}
    return [
        ("sh", _curl(url, method, headers, body)),
        ("ts", _typescript(url, method, headers, body)),
        ("python", _python(url, method, headers, body)),
    ]


def _curl(url: str, method: str, headers: Mapping[str, str], body: object) -> str:
    chosen = [] if method == ("GET" if body is None else "POST") else [f"-X {method}"]
    parts = [*chosen, *(f"-H {shlex.quote(f'{name}: {value}')}" for name, value in headers.items())]
    if body is not None:
        parts.append(f"-d {shlex.quote(json.dumps(body, ensure_ascii=False))}")
    return " \\\n  ".join([f"curl -sS {shlex.quote(url)}", *parts]) + "\n"


def _typescript(url: str, method: str, headers: Mapping[str, str], body: object) -> str:
    options = [f"  method: {json.dumps(method)},"] if method != "GET" else []
    if headers:
        options.append(f"  headers: {json.dumps(headers, ensure_ascii=False)},")
    if body is not None:
        text = json.dumps(body, indent=2, ensure_ascii=False).replace("\n", "\n  ")
        options.append(f"  body: JSON.stringify({text}),")
    asked = f"{json.dumps(url)}, {{\n" + "\n".join(options) + "\n}" if options else json.dumps(url)
    return f"const answer = await fetch({asked});\nconsole.log(answer.status, await answer.text());\n"


def _python(url: str, method: str, headers: Mapping[str, str], body: object) -> str:
    lines = ["from json import dumps", "from urllib.request import Request, urlopen", ""]
    parts = [json.dumps(url)]
    if body is not None:
        lines += [f"body = {pprint.pformat(body, width=88, sort_dicts=False)}"]
        parts.append("dumps(body).encode()")
    if headers:
        lines += [f"headers = {pprint.pformat(headers, width=88, sort_dicts=False)}"]
        parts.append("headers=headers")
    if method != "GET":
        parts.append(f'method="{method}"')
    lines += [
        f"with urlopen(Request({', '.join(parts)})) as answer:",
        "    print(answer.status, answer.read().decode())",
    ]
    return "\n".join(lines) + "\n"
