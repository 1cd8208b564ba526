"""All pages of the documentation site by their path below `/docs`. A page is rendered on the first request for it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from functools import cache, cached_property, partial
from importlib.resources import files
from threading import Lock
from typing import Any, Final

import jinja2
import msgspec
from markupsafe import Markup

from games.core.dice import FastDice
from games.core.game import Game, View
from games.core.table import SPECTATOR
from games.core.texts import LANGUAGES
from service.docs import markdown, reference
from service.docs.chapters import chapters
from service.docs.copies import Copies, copy_address, with_host
from service.docs.reference import DocumentedOperation, Schemas
from service.docs.resources import HTML, TYPES, Resource, content, file_content
from service.docs.search import DECISION, Findable, Index
from service.docs.sources import KEYWORDS, QUICK_START, Guide, Sources
from service.http.problems import PROBLEMS, TEXTS, type_of

FIRST_GAME: Final = """\
URL=http://127.0.0.1:8000/v1/games/hoher-rat
curl -sS "$URL/snapshots" -H 'Content-Type: application/json' -d '{"seat_count": 2}' > table.json
jq '{snapshot, seat: .actors[0]}' table.json |
  curl -sS "$URL/legal-moves" -H 'Content-Type: application/json' -d @- | jq -r '.moves[].label'
"""
"""The commands that the start page shows as a first game."""

PICTURE_THEMES: Final = ("light", "dark")
MIDDLE: Final = "middle"
"""Name of the picture of a position in mid-game. Other pictures show openings and are named by number of seats."""

ASSETS: Final = "assets"
GENERATED: Final = "generated"
"""The folder of the browser client for `/play`. It is built from `clients/web`."""
ASSET_FOLDERS: Final = (ASSETS, GENERATED)

REMEDIES: Final[Mapping[int, str]] = {
    400: "Correct the request. An unchanged repetition fails again.",
    401: "Send the credential that `detail` names.",
    403: "Use a credential that permits this operation.",
    404: "Check the address and its ids. Expired resources do not return.",
    405: "Use a method from the header `Allow`.",
    406: "Request a media type that `detail` names.",
    408: "Send the whole request within ten seconds.",
    409: "Read the resource again. Its state does not permit the request.",
    410: "Start again from the current state.",
    412: "Read the resource again and decide again. Send its version in `If-Match`.",
    413: "Send less at once. `/v1/limits` has the limits.",
    415: "Send `Content-Type: application/json`, in UTF-8.",
    422: "Correct the values in `errors`. Each entry has a JSON pointer, a reason and, for a violated rule, its id.",
    428: "Read the resource first, and send its `ETag` in `If-Match`.",
    429: "Wait for the seconds in `Retry-After`, or request less. The header `RateLimit` has the remainder.",
    500: "This is a fault of the service. Retry with the same `Idempotency-Key`, if any, and report the `trace_id`.",
    502: "Send the same request again, with the same `Idempotency-Key`, if any.",
    503: "Wait for the seconds in `Retry-After`, then send the same request again.",
}
"""Advice to clients for each problem status."""

Maker = Callable[[], Resource]


class Site:
    """The documentation site of an application."""

    def __init__(self, spec: Mapping[str, Any], games: Mapping[str, Game]) -> None:
        self.sources = Sources()
        self.spec = spec
        self.games = games
        self.operations = {operation.id: operation for operation in reference.operations(spec)}
        self.schemas = Schemas(spec)
        self._made: dict[str, Resource] = {}
        self._making = Lock()
        self._assets = {
            f"{folder}/{file.name}": file.read_bytes()
            for folder in ASSET_FOLDERS
            for file in (files("service.docs") / folder).iterdir()
        }
        self._templates = jinja2.Environment(
            loader=jinja2.PackageLoader("service.docs"), autoescape=True, trim_blocks=True, lstrip_blocks=True
        )
        self._templates.globals |= {
            "asset": self._asset_address,
            # Pages repeat the same texts of fields and headers.
            "line": cache(lambda text: Markup(markdown.line(text))),  # noqa: S704 -- markdown-it escapes
            "code_box": lambda text, language: Markup(markdown.code(text, language)),  # noqa: S704 -- Pygments escapes
            "tabs": lambda blocks, name: Markup(markdown.tabs(blocks, name)),  # noqa: S704 -- Pygments escapes
            "site": self,
            "languages": LANGUAGES,
        }

    # Resources.

    @cached_property
    def makers(self) -> dict[str, Maker]:
        """Functions that build the resources, with their paths below `/docs` as keys. The start page has the key ""."""
        html: dict[str, Callable[[], str]] = {
            "": self._front,
            "reference": self._reference,
            "schemas": self._schemas,
            "problems": self._problems,
            "rules": self._rules,
        }
        html |= {f"guides/{guide.name}": partial(self._guide, guide) for guide in self.sources.guides.values()}
        html |= {
            f"reference/{operation.id}": partial(self._operation, operation) for operation in self.operations.values()
        }
        html |= {f"schemas/{name}": partial(self._schema, name) for name in self.schemas.by_name}
        html |= {f"problems/{code}": partial(self._problem, code) for code in PROBLEMS}
        html |= {
            f"rules/{slug}/{language}": partial(self._rules_of, game, language)
            for slug, game in self.games.items()
            for language in LANGUAGES
        }
        makers: dict[str, Maker] = {path: partial(_page, write) for path, write in html.items()}
        makers |= {
            copy_address(path).removeprefix("/docs/"): partial(_copy, write)
            for path, write in self._copies.writers().items()
        }
        makers |= {path: partial(content, body, path) for path, body in self._assets.items()}
        makers |= {f"files/{name}": partial(file_content, path) for name, path in self.sources.files.items()}
        makers |= {
            f"pictures/{slug}/{which}-{language}-{theme}.svg": partial(self._picture, game, which, language, theme)
            for slug, game in self.games.items()
            for which in self.pictures_of(game)
            for language in LANGUAGES
            for theme in PICTURE_THEMES
        }
        return makers

    @cached_property
    def _copies(self) -> Copies:
        return Copies(self)

    @cached_property
    def page_paths(self) -> frozenset[str]:
        """The paths of all pages. They are relative to `/docs`."""
        return frozenset(self._copies.writers())

    def llms(self, host: str) -> Resource:
        """Return `llms.txt`, the list of all Markdown copies, with absolute URLs on `host`."""
        return Resource.of(with_host(self._llms, host).encode(), TYPES[".txt"])

    @cached_property
    def _llms(self) -> str:
        return self._copies.llms()

    def resource(self, path: str) -> Resource | None:
        make = self.makers.get(path)
        return None if make is None else self._keep(path, make)

    def home(self, language: str) -> Resource:
        return self._keep(f"/{language}", partial(_page, partial(self._home, language)))

    def play(self) -> Resource:
        """Return the HTML page of the browser client."""
        return self._keep("/play", partial(_page, partial(self._render, "play.html", title="Dorfplatz")))

    def replay(self, title: str, preview: Mapping[str, str]) -> Resource:
        """Return the page of the browser client for a replay. Messenger apps show `preview` for links to this page."""
        return _page(partial(self._render, "play.html", title=title, preview=preview))

    def _keep(self, name: str, make: Maker) -> Resource:
        with self._making:  # concurrent requests would build the same
            if name not in self._made:
                self._made[name] = make()
            return self._made[name]

    def moved(self, path: str, language: str) -> str | None:
        """Return the URL that `path` redirects to. Return None if `path` redirects to no URL.

        A path `rules/<id of a rule>` or `rules/<game>` redirects to the game's rules in the language `language`.
        """
        place, _, name = path.partition("/")
        if place != "rules":
            return None
        if name in self.games:
            return f"/docs/rules/{name}/{language}"
        slug = self._by_rule.get(name)
        return None if slug is None else f"/docs/rules/{slug}/{language}#{name}"

    @cached_property
    def _by_rule(self) -> dict[str, str]:
        return {rule.id: slug for slug, game in self.games.items() for rule in game.rules}

    def pictures_of(self, game: Game) -> list[str]:
        stored = [MIDDLE] if f"pictures/{game.slug}.json" in self.sources.files else []
        return [*stored, *map(str, game.seat_numbers)]

    def search(self, question: str) -> bytes:
        hits = self._index.find(question)
        return self._render("search.html", title="Search", question=question, hits=hits).encode()

    @cached_property
    def _index(self) -> Index:
        return Index(self._entries())

    # Pages.

    def _render(self, template: str, path: str | None = None, **values: Any) -> str:
        """Return a page as HTML. `path` is its path below `/docs`, and is set only if the page has a Markdown copy."""
        language = values.setdefault("language", LANGUAGES[0])
        values["copy"] = None if path is None else copy_address(path)
        return self._templates.get_template(template).render(t=TEXTS.sections[language]["site"], **values)

    def _asset_address(self, name: str, folder: str = ASSETS) -> str:
        path = f"{folder}/{name}"
        return f"/docs/{path}?v={content(self._assets[path], path).version}"

    def _home(self, language: str) -> str:
        return self._render("home.html", title="Dorfplatz", language=language, place="home", first_game=FIRST_GAME)

    def _front(self) -> str:
        return self._render("front.html", "", title="Documentation", menu=self.sources.menu())

    def _guide(self, guide: Guide) -> str:
        page = markdown.render(self.sources.text(guide), partial(self.sources.address, origin=guide.path))
        place = "quick-start" if guide.name == QUICK_START else "guides"
        values = {"body": Markup(page.body), "headings": page.headings, "menu": self.sources.menu()}  # noqa: S704 -- our own pages
        return self._render("guide.html", f"guides/{guide.name}", title=guide.title, guide=guide, place=place, **values)

    def _reference(self) -> str:
        return self._render("reference.html", "reference", title="Reference", place="reference", **self._by_tag)

    @cached_property
    def tags(self) -> dict[str, list[DocumentedOperation]]:
        return reference.by_tag(list(self.operations.values()))

    @cached_property
    def _by_tag(self) -> dict[str, Any]:
        about = {tag["name"]: tag.get("description", "") for tag in self.spec.get("tags", ())}
        return {"tags": self.tags, "about": about}

    def _operation(self, operation: DocumentedOperation) -> str:
        examples = operation.examples(self.sources)
        request = examples[0].request if examples and examples[0].status < 400 else operation.bare_request()  # noqa: PLR2004 -- HTTP's refusals
        return self._render(
            "operation.html",
            f"reference/{operation.id}",
            title=_plain(operation.summary),
            place="reference",
            operation=operation,
            examples=examples,
            samples=reference.samples(request),
            trial=_script(operation, request),
            schemes=self.spec["components"].get("securitySchemes", {}),
            **self._by_tag,
        )

    def _schemas(self) -> str:
        return self._render(
            "schemas.html", "schemas", title="Schemas", place="schemas", names=sorted(self.schemas.by_name)
        )

    def _schema(self, name: str) -> str:
        used = [operation for operation in self.operations.values() if name in operation.schema_names]
        return self._render(
            "schema.html", f"schemas/{name}", title=name, place="schemas", node=self.schemas.page(name), used=used
        )

    def _problems(self) -> str:
        return self._render(
            "problems.html", "problems", title="Problems", place="problems", problems=PROBLEMS, titles=self.titles
        )

    def _problem(self, code: str) -> str:
        where = [operation for operation in self.operations.values() if code in operation.problems]
        return self._render(
            "problem.html",
            f"problems/{code}",
            title=self.titles[code],
            place="problems",
            code=code,
            status=PROBLEMS[code],
            type=type_of(code),
            remedy=self.remedy(code),
            said={each: TEXTS.sections[each] for each in LANGUAGES},
            operations=where,
            example=self._met(code, where),
        )

    def remedy(self, code: str) -> str:
        """Return the advice to clients for a problem code."""
        return REMEDIES[PROBLEMS[code]]

    def _met(self, code: str, where: list[DocumentedOperation]) -> str | None:
        for operation in where:
            for exchange in self.sources.requests(operation.id).values():
                body = exchange["response"].get("body")
                if isinstance(body, dict) and body.get("code") == code:
                    return json.dumps(body, indent=2, ensure_ascii=False)
        return None

    @property
    def titles(self) -> dict[str, str]:
        found: dict[str, str] = TEXTS.sections[LANGUAGES[0]]["titles"]
        return found

    def _rules(self) -> str:
        return self._render("rules.html", "rules", title="Rules", place="rules")

    def _rules_of(self, game: Game, language: str) -> str:
        said = game.texts.sections[language]
        return self._render(
            "rules_of.html",
            f"rules/{game.slug}/{language}",
            title=said["names"]["title"],
            place="rules",
            language=language,
            game=game,
            said=said,
            chapters=chapters(game, language),
            pictures=self.pictures_of(game),
            middle=MIDDLE,
        )

    def _picture(self, game: Game, which: str, language: str, theme: str) -> Resource:
        svg = game.picture(self._position(game, which), language, theme)
        return Resource.of(svg.encode(), TYPES[".svg"])

    def _position(self, game: Game, which: str) -> View:
        if which == MIDDLE:
            text = self.sources.files[f"pictures/{game.slug}.json"].read_bytes()
            return msgspec.json.decode(text, type=game.view_type)
        return game.view(game.new(int(which), game.options_type(), FastDice(1)), SPECTATOR)

    # Search entries.

    def _entries(self) -> Iterator[Findable]:
        for operation in self.operations.values():
            parts = [operation.description, operation.id, operation.tag, *operation.problems]
            parts += [f"{parameter.name} {parameter.description}" for parameter in operation.parameters()]
            title = f"{operation.method} {operation.path} · {_plain(operation.summary)}"
            yield Findable("Operation", title, " ".join(parts), f"/docs/reference/{operation.id}")
        for code in PROBLEMS:
            words = [
                f"{TEXTS.sections[each]['titles'][code]} {TEXTS.sections[each]['details'][code]}" for each in LANGUAGES
            ]
            yield Findable("Problem", f"{code} · {self.titles[code]}", " ".join(words), f"/docs/problems/{code}")
        for slug, game in self.games.items():
            for language in LANGUAGES:
                for rule in game.rules:
                    address = f"/docs/rules/{slug}/{language}#{rule.id}"
                    title = f"{rule.id} · {game.texts.sections[language]['names']['title']}"
                    yield Findable("Rule", title, game.sentence(rule, language), address)
        for guide in self.sources.guides.values():
            yield from _sections(guide, self.sources.text(guide))
        for name, schema in self.schemas.by_name.items():
            words = [schema.get("description", ""), *schema.get("properties", ())]
            yield Findable("Schema", name, " ".join(words), f"/docs/schemas/{name}")


def _sections(guide: Guide, text: str) -> Iterator[Findable]:
    used: set[str] = set()
    for number, part in enumerate(("\n" + text).split("\n#")):
        heading, _, body = part.lstrip("#").partition("\n")
        if number == 0:
            continue
        said = heading.strip().replace("`", "")
        anchor = markdown.slug(said, used)
        title = guide.title if number == 1 else f"{guide.title} · {said}"
        kind = DECISION if guide.name.startswith("decisions/") else "Guide"
        keywords = KEYWORDS.get(guide.name if number == 1 else f"{guide.name}#{anchor}", "")
        yield Findable(kind, title, body.replace("`", ""), f"/docs/guides/{guide.name}#{anchor}", keywords)


def _script(operation: DocumentedOperation, request: Mapping[str, Any]) -> Markup:
    """Return the JSON data for the "try it" script. `<` is escaped, so that the data cannot contain `</script>`."""
    body = request.get("body")
    trial = {
        "id": operation.id,
        "method": operation.method,
        "path": operation.path,
        "recorded": request["path"],
        "headers": request["headers"],
        "body": None if body is None else json.dumps(body, indent=2, ensure_ascii=False),
        "parameters": [[each.name, each.where, each.required] for each in operation.parameters()],
        "keyed": bool(operation.security) and all("key" in way for way in operation.security),
    }
    return Markup(json.dumps(trial).replace("<", "\\u003c"))  # noqa: S704 -- no tag is left in it


def _plain(sentence: str) -> str:
    return sentence.replace("`", "").rstrip(".")


def _page(write: Callable[[], str]) -> Resource:
    return Resource.of(write().encode(), HTML)


def _copy(write: Callable[[], str]) -> Resource:
    return Resource.of(write().encode(), TYPES[".md"])
