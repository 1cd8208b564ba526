"""The documentation site and the start page: addresses and audiences."""

import gzip
import json
import re
from collections.abc import Iterator
from functools import cache
from html import unescape
from pathlib import Path
from urllib.parse import urldefrag, urljoin, urlsplit

import pytest
from flask import Flask
from flask.testing import FlaskClient

from games.core.texts import LANGUAGES
from service.api.docs import _site
from service.app import create_app
from service.docs import markdown
from service.docs.chapters import chapters
from service.docs.resources import HTML
from service.docs.search import KIND_RANKS, MAX_HITS, Findable, Index
from service.docs.site import REMEDIES, Site
from service.docs.sources import KEYWORDS, Sources
from service.http.problems import PROBLEMS, type_of
from service.settings import Settings

BROWSER = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}
HEAVIEST_BYTES = 60_000
"""Maximum size of any page when it is compressed, with its assets except pictures; the promise is 500 kB."""


TAG = re.compile(r'<([a-z]\w*)((?:[^">]|"[^"]*")*)>')
ATTRIBUTE = re.compile(r'([^\s="/]+)(?:="([^"]*)")?')


class Page:
    """Links, assets and ids of a page of our templates, which quote all attributes."""

    def __init__(self, text: str) -> None:
        self.tags = [
            (tag, {name: unescape(value) for name, value in ATTRIBUTE.findall(attributes)})
            for tag, attributes in TAG.findall(text)
        ]
        self.ids = [said["id"] for _, said in self.tags if said.get("id")]
        self.links = [said["href"] for tag, said in self.tags if tag == "a" and said.get("href")]
        self.loads = [
            said[name]
            for tag, said in self.tags
            for name in ("src", "srcset", "action", *(["href"] if tag == "link" else []))
            if said.get(name)
        ]


@pytest.fixture(scope="module")
def site(shared_app: Flask) -> Site:
    with shared_app.test_request_context("/"):
        return _site()


@pytest.fixture(scope="module")
def pages(site: Site) -> dict[str, Page]:
    return {f"/docs/{path}".rstrip("/"): Page(text) for path, text in texts(site)}


def texts(site: Site) -> Iterator[tuple[str, str]]:
    for path in site.makers:
        if not path.startswith(("assets/", "files/", "generated/", "pictures/")) and not path.endswith(".md"):
            found = site.resource(path)
            assert found is not None
            assert found.content_type == HTML
            yield path, found.body.decode()


@pytest.mark.thorough
def test_every_link_leads_to_a_page_and_a_place_on_it(site: Site, pages: dict[str, Page], shared_app: Flask) -> None:
    client = shared_app.test_client()
    other = {f"/docs/{path}" for path in site.makers}

    @cache
    def leads_to_a_place(address: str) -> bool:
        target, anchor = urldefrag(address)
        if target in pages:
            return not anchor or anchor in pages[target].ids
        return urlsplit(target).path in other or client.get(target).status_code in {200, 302}

    dead = set()
    for at, page in pages.items():
        for link in page.links + page.loads:
            address = urljoin(at or "/docs", link)
            if urlsplit(address).scheme:
                assert link in page.links, "nothing is loaded from elsewhere"
            elif not leads_to_a_place(address):
                dead.add((at, link))
    assert dead == set()


@pytest.mark.thorough
def test_pages_keep_to_the_policy_and_say_each_id_once(pages: dict[str, Page]) -> None:
    for path, page in pages.items():
        assert len(page.ids) == len(set(page.ids)), path
        for tag, said in page.tags:
            assert "style" not in said, (path, tag)
            assert not [name for name in said if name.startswith("on")], (path, tag)
            assert tag != "script" or "src" in said or said["type"] == "application/json", path


@pytest.mark.thorough
def test_no_page_is_heavy(site: Site, pages: dict[str, Page]) -> None:
    loaded = [site.resource(path) for path in site.makers if path.startswith("assets/")]
    assets = sum(len(found.pressed or found.body) for found in loaded if found)
    for path in pages:
        found = site.resource(path.removeprefix("/docs").removeprefix("/"))
        assert found is not None
        assert len(found.pressed or found.body) + assets < HEAVIEST_BYTES, path


def test_every_operation_schema_problem_and_rule_has_its_place(pebbles_app: Flask) -> None:
    spec = pebbles_app.extensions["openapi"].spec()
    client = pebbles_app.test_client()
    listed = Page(client.get("/docs/reference").text).links
    for item in spec["paths"].values():
        for operation in item.values():
            assert f"/docs/reference/{operation['operationId']}" in listed
    schemas = Page(client.get("/docs/schemas").text).links
    assert {f"/docs/schemas/{name}" for name in spec["components"]["schemas"]} <= set(schemas)
    problems = Page(client.get("/docs/problems").text)
    assert set(PROBLEMS) <= set(problems.ids)
    assert {f"/docs/problems/{code}" for code in PROBLEMS} <= set(problems.links)
    assert set(PROBLEMS.values()) == set(REMEDIES)
    for rule in client.get("/v1/games/pebbles/rules").json or ():
        assert rule["id"] in Page(client.get("/docs/rules/pebbles/it").text).ids


def test_an_operation_shows_its_fields_problems_and_code_without_a_script(shared_app: Flask) -> None:
    text = shared_app.test_client().get("/docs/reference/makeMoveInSession").text
    assert '<code class="name">expand</code>' in text
    assert 'href="/docs/problems/stale-version"' in text
    assert re.search(
        r"<details[^>]*><summary>1 field</summary>\s*<ul class=\"fields\">\s*<li><code class=\"name\">move", text
    )
    for language in markdown.TABS.values():
        assert re.search(rf"<label for=\"sample-\d\">{language}</label>", text)


def test_a_page_of_a_problem_tells_what_to_do_in_three_languages(shared_app: Flask) -> None:
    text = shared_app.test_client().get("/docs/problems/illegal-move").text
    assert REMEDIES[422].partition("`")[0] in text
    for language in LANGUAGES:
        assert f'<dd lang="{language}">' in text
    assert 'href="/docs/reference/makeSnapshotMove"' in text
    assert "trace_id" in text, "a recorded answer"


def test_the_type_of_a_problem_leads_people_to_its_place_and_programs_to_the_list(pebbles: FlaskClient) -> None:
    address, _, code = type_of("stale-version").partition("#")
    led = pebbles.get(address, headers=BROWSER)
    assert (led.status_code, led.location) == (303, "/docs/problems")
    assert code in Page(pebbles.get(led.location).text).ids
    for accepted in ("application/json", "*/*", "application/json, text/html;q=0.5"):
        told = pebbles.get(address, headers={"Accept": accepted})
        assert [entry["code"] for entry in told.json or ()] == list(PROBLEMS)
    assert "Accept" in {name.strip() for name in pebbles.get(address).headers["Vary"].split(",")}


def test_a_refused_move_leads_to_its_rule_in_the_readers_language(every_game: Flask) -> None:
    client = every_game.test_client()
    made = client.post("/v1/games/hoher-rat/snapshots", json={"seat_count": 2, "seed": "stonehenge"}).json
    assert made is not None
    move = {"kind": "convince", "source": 1, "target": 2, "argument": "white", "colour": "white"}
    body = {"snapshot": made["snapshot"], "seat": made["actors"][0], "move": move}
    refused = client.post("/v1/games/hoher-rat/moves", json=body).json
    assert refused is not None
    (error,) = refused["errors"]
    for language in ("de", "it"):
        led = client.get(error["rule_url"], headers={"Accept-Language": language})
        assert (led.status_code, led.location) == (302, f"/docs/rules/hoher-rat/{language}#{error['rule']}")
        page = client.get(led.location)
        assert error["rule"] in Page(page.text).ids
        assert f'<html lang="{language}">' in page.text


@pytest.mark.parametrize("language", LANGUAGES)
def test_chapters_of_rules_are_in_the_readers_language(shared_app: Flask, language: str) -> None:
    for game in shared_app.extensions["context"].games.values():
        told, english = chapters(game, language), chapters(game, "en")
        assert [rule for _, rules in told for rule in rules] == list(game.rules)
        if len(english) > 1 and language != "en":
            assert not {title for title, _ in told} & {title for title, _ in english}, game.slug


@pytest.mark.parametrize("language", LANGUAGES)
def test_people_are_met_by_a_page_and_programs_by_json(pebbles: FlaskClient, language: str) -> None:
    page = pebbles.get("/", headers={**BROWSER, "Accept-Language": language})
    assert page.mimetype == "text/html"
    assert f'<html lang="{language}">' in page.text
    assert page.headers["Content-Language"] == language
    assert pebbles.get(f"/?language={language}", headers=BROWSER).text == page.text
    links = Page(page.text).links
    assert {"/docs", "/docs/reference", "/docs/rules", "/openapi.json", f"/docs/rules/pebbles/{language}"} <= set(links)
    for program in ({}, {"Accept": "*/*"}, {"Accept": "application/json"}):
        told = pebbles.get("/", headers=program)
        assert told.json is not None
        assert pebbles.get(told.json["openapi"]).status_code == 200
        assert "Accept" in told.headers["Vary"]


def test_pages_are_compressed_on_request_and_kept_for_ever_if_they_cannot_change(
    pebbles: FlaskClient,
) -> None:
    plain = pebbles.get("/docs/problems")
    pressed = pebbles.get("/docs/problems", headers={"Accept-Encoding": "gzip, br"})
    assert pressed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(pressed.get_data()) == plain.get_data()
    assert pressed.headers["ETag"] != plain.headers["ETag"]
    assert "Accept-Encoding" in pressed.headers["Vary"]
    known = pebbles.get("/docs/problems", headers={"If-None-Match": plain.headers["ETag"]})
    assert known.status_code == 304
    assert "Content-Encoding" not in pebbles.get("/docs/problems", headers={"Accept-Encoding": "gzip;q=0"}).headers
    assets = [load for load in Page(plain.text).loads if load.startswith("/docs/assets/")]
    assert assets
    for address in assets:
        assert "immutable" in pebbles.get(address).headers["Cache-Control"]
        for other in (address + "0", address.partition("?")[0], address.partition("?")[0] + "?v="):
            assert pebbles.get(other).headers["Cache-Control"] == "no-cache"


def test_pages_load_and_ask_nothing_but_this_service(pebbles: FlaskClient) -> None:
    for path in ("/docs", "/docs/search?q=move"):
        policy = pebbles.get(path).headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "script-src 'self';" in policy
        assert "style-src 'self';" in policy
        assert "connect-src 'self'" in policy
        assert "http" not in policy
        assert "unsafe" not in policy
    picture = pebbles.get("/docs/pictures/pebbles/2-it-light.svg")
    assert picture.content_type == "image/svg+xml; charset=utf-8"
    assert "sandbox" in picture.headers["Content-Security-Policy"]


def test_search_finds_operations_problems_rules_and_guides(shared_app: Flask) -> None:
    client = shared_app.test_client()
    for question, address in (
        ("makeMoveInSession", "/docs/reference/makeMoveInSession"),
        ("stale-version", "/docs/problems/stale-version"),
        ("HR-12", "/docs/rules/hoher-rat/en#HR-12"),
        ("standard webhooks signature", "/docs/guides/webhooks"),
        ("moveplay", "/docs/schemas/MovePlayed"),
    ):
        links = Page(client.get("/docs/search", query_string={"q": question}).text).links
        assert any(link.startswith(address) for link in links), question
    text = client.get("/docs/search", query_string={"q": "stale"}).text
    assert "<mark>Stale</mark> version" in text
    assert "`" not in text


@pytest.mark.parametrize(
    "question", ["", "   ", '"', "AND", "a* OR (", "<script>alert(1)</script>", "x" * 5_000, "' --"]
)
def test_any_question_has_an_answer_and_is_shown_as_text(pebbles: FlaskClient, question: str) -> None:
    answer = pebbles.get("/docs/search", query_string={"q": question})
    assert answer.status_code == 200
    assert "<script>alert" not in answer.text


def test_a_search_shows_the_best_first_and_marks_words_in_text() -> None:
    entries = [Findable("Guide", f"page {number}", "a <b> dwarf", f"/{number}") for number in range(MAX_HITS + 5)]
    index = Index([*entries, Findable("Guide", "Dwarf", "hats", "/best")])
    found = index.find("dwärf")
    assert found[0].address == "/best"
    assert len(found) == MAX_HITS
    assert found[1].excerpt == "a &lt;b&gt; <mark>dwarf</mark>"


@pytest.mark.parametrize(
    ("query", "page"),
    [
        ("login", "api-keys#"),
        ("auth", "api-keys#"),
        ("websocket", "guides/event-streams#"),
        ("sse", "guides/event-streams#"),
        ("polling", "guides/event-streams#poll-instead"),
        ("cors", "guides/event-streams#serve-other-origins"),
        ("pagination", "api-keys#list-your-sessions"),
        ("tutorial", "tutorials#"),
        ("undo", "history#undo-by-consent"),
        ("idempotency", "guides/retries#"),
        ("Idempotancy", "guides/retries#"),
        ("tutorail", "tutorials#"),
        ("websockett", "guides/event-streams#"),
        ("pagnation", "api-keys#list-your-sessions"),
    ],
)
def test_common_words_lead_to_their_page(site: Site, query: str, page: str) -> None:
    assert site._index.find(query)[0].address.startswith(f"/docs/guides/{page}")


def test_hits_are_ordered_by_kind_after_an_exact_name(site: Site) -> None:
    for query in ("session", "undo", "ticket", "cursor"):
        kinds = [hit.kind for hit in site._index.find(query)]
        assert kinds == sorted(kinds, key=KIND_RANKS.__getitem__), query
    assert site._index.find("stale-version")[0].address == "/docs/problems/stale-version"
    decisions = [hit for hit in site._index.find("Knossos") if "/decisions/" in hit.address]
    assert {hit.kind for hit in decisions} == {"Decision"}


def test_every_keyword_belongs_to_a_section(site: Site) -> None:
    assert {entry.keywords for entry in site._entries()} - {""} == set(KEYWORDS.values())


def test_each_page_has_a_copy_and_llms_txt_lists_all(site: Site, pages: dict[str, Page], shared_app: Flask) -> None:
    client = shared_app.test_client()
    copies = {address: page for page in pages.values() for address in page.links if address.endswith(".md")}
    assert len(copies) == len(pages)
    assert {f"/docs/{path}" for path in site.makers if path.endswith(".md")} == set(copies)
    told = client.get("/llms.txt", base_url="https://dorf.example")
    assert told.content_type == "text/plain; charset=utf-8"
    listed = re.findall(r"^- \[.+?\]\(https://dorf\.example([^)]+)\): .+$", told.text, re.MULTILINE)
    assert sorted(listed) == sorted(copies)
    assert told.text.startswith("# Dorfplatz\n\n> ")
    for address in ("/docs/index.md", "/docs/guides/guides/retries.md", "/docs/rules/pebbles/it.md"):
        copy = client.get(address)
        assert copy.content_type == "text/markdown; charset=utf-8"
        assert copy.text.startswith("# ")


def test_links_of_copies_lead_to_copies_and_files(site: Site, pages: dict[str, Page]) -> None:
    dead = set()
    for path in site.makers:
        if path.endswith(".md"):
            found = site.resource(path)
            assert found is not None
            for target in re.findall(r"\]\((/docs/[^)#]+)", found.body.decode()):
                if target.removeprefix("/docs/") not in site.makers or target in pages:
                    dead.add((path, target))
    assert dead == set()


def test_a_copy_has_the_data_of_its_page(site: Site) -> None:
    def copy(path: str) -> str:
        found = site.resource(f"{path}.md")
        assert found is not None
        return found.body.decode()

    move = copy("reference/makeMoveInSession")
    assert "`POST /v1/sessions/{id}/moves` · `makeMoveInSession`" in move
    assert "- `If-Match` (string in header, required): " in move
    assert "[`stale-version`](/docs/problems/stale-version.md)" in move
    assert "## Example\n\n`POST /v1/sessions/" in move
    assert "- `ply` (integer, required) " in copy("schemas/Snapshot")
    assert REMEDIES[PROBLEMS["stale-version"]] in copy("problems/stale-version")
    rules = copy("rules/pebbles/de")
    assert rules.index("## Ziel") < rules.index("## Spielablauf") < rules.index("**PB-1** ")
    guide = copy("guides/quick-start")
    assert "](/docs/guides/guides/retries.md)" in guide
    assert Path("docs/quick-start.md").read_text("utf-8").splitlines()[0] == guide.splitlines()[0]


def test_rules_begin_with_goal_and_order_of_play(shared_app: Flask) -> None:
    for slug, game in shared_app.extensions["context"].games.items():
        for language in LANGUAGES:
            text = shared_app.test_client().get(f"/docs/rules/{slug}/{language}").text
            assert text.index('id="goal"') < text.index('id="order"') < text.index(f'id="{game.rules[0].id}"')


@pytest.mark.parametrize(
    "path",
    [
        "",
        "nothing",
        "assets/../site.py",
        "files/../README.md",
        "guides/../../pyproject",
        "rules/XX-1",
        "files//etc/passwd",
    ],
)
def test_an_unknown_page_is_a_problem(pebbles: FlaskClient, path: str) -> None:
    answer = pebbles.get(f"/docs/{path}")
    assert answer.json is not None
    odd = "//" in path or ".." in path
    assert (answer.status_code, answer.json["code"]) == ((400, "invalid-path") if odd else (404, "not-found"))


def test_every_page_of_the_documents_is_a_guide(checkout: Path) -> None:
    guides = {guide.path for guide in Sources().guides.values()}
    assert {str(file.relative_to(checkout)) for file in (checkout / "docs").rglob("*.md")} <= guides
    listed = [guide.path for group in Sources().menu().values() for guide in group]
    assert len(listed) == len(set(listed))


def test_a_service_without_games_and_documents_has_a_site_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.docs.sources.examples_folder", lambda: None)
    client = create_app(Settings(log_level="critical"), {}).test_client()
    for path in ("/docs", "/docs/reference/getLimits", "/docs/rules", "/docs/search?q=limits"):
        assert client.get(path).status_code == 200
    assert client.get("/", headers=BROWSER).status_code == 200


def test_markdown_becomes_tabs_anchors_and_links_of_the_site() -> None:
    text = "# A `b`\n\n[in](x.md) [out](y.py)\n\n```sh\nls\n```\n\n```python\n1\n```\n\n## A b\n\n```sh\nls\n```\n"
    page = markdown.render(text, lambda target: f"/to/{target}" if target.endswith(".md") else None)
    assert page.headings == [(1, "a-b", "A b"), (2, "a-b-1", "A b")]
    assert '<a href="/to/x.md">in</a>' in page.body
    assert '<span class="elsewhere" title="in the repository">out</span>' in page.body
    assert page.body.count('type="radio"') == 2
    assert page.body.count("<pre") == 3


def test_data_of_the_script_cannot_end_its_tag(site: Site) -> None:
    for path in site.makers:
        if path.startswith("reference/") and not path.endswith(".md"):
            found = site.resource(path)
            assert found is not None
            (data,) = re.findall(r'id="trial-data">(.*?)</script>', found.body.decode(), re.DOTALL)
            assert json.loads(data)["id"] == path.removeprefix("reference/")
