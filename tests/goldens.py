"""Rewrites every committed file that repeats texts of `service/texts` or `games/*/texts`.

    python3 dev.py run tests.goldens

It rewords the recorded examples by the difference to the last commit, and records the stateless ones again. Then it
writes the contract, the types of the clients, the documents of the proxy, and the pictures. Run it after a change of
texts.
"""

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

TEXT_FILES: Final = ("service/texts/*.json", "games/*/texts/*.json")
EXAMPLES: Final = Path("openapi/examples")
PROXY_DOCUMENTS: Final = Path("deploy/errors")
PROXY_DETAILS: Final = frozenset({"bad-request", "internal-error"})
"""Codes of problems for which the proxy has details of its own."""

MIN_LITERAL_CHARACTERS: Final = 8
"""Templates with less text of their own fit too many sentences."""

_PARAMETER: Final = re.compile(r"\{(\w+)(?::\w+)?\}")

Reword = Callable[[str], str]


def templates(texts: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    """Yield the templates of a text file by their dotted keys, except templates with plural forms."""
    for key, value in texts.items():
        if isinstance(value, Mapping):
            yield from templates(value, f"{prefix}{key}.")
        elif isinstance(value, str) and "|" not in value:
            yield f"{prefix}{key}", value


def rewording(old: Mapping[str, Any], new: Mapping[str, Any]) -> Reword:
    """Return a function that turns a sentence of an old template into that of the new one; others stay as they are."""
    renewed = dict(templates(new))
    rules = []
    for key, before in templates(old):
        after = renewed.get(key, before)
        if after != before and len(_PARAMETER.sub("", before)) >= MIN_LITERAL_CHARACTERS:
            parts = [re.escape(part) for part in re.split(r"\{\w+(?::\w+)?\}", before)]
            rules.append((re.compile("(.+?)".join(parts)), _PARAMETER.findall(before), after))

    def reword(sentence: str) -> str:
        for pattern, names, after in rules:
            if found := pattern.fullmatch(sentence):
                return _filled(after, dict(zip(names, found.groups(), strict=True)))
        return sentence

    return reword


def _filled(template: str, values: Mapping[str, str]) -> str:
    return _PARAMETER.sub(lambda parameter: values[parameter[1]], template)


def reworded(value: Any, reword: Reword) -> Any:
    if isinstance(value, dict):
        return {key: reworded(item, reword) for key, item in value.items()}
    if isinstance(value, list):
        return [reworded(item, reword) for item in value]
    return reword(value) if isinstance(value, str) else value


def reword_examples() -> None:
    """Reword the recorded examples by the difference between the last commit and the working tree."""
    for file in sorted(file for pattern in TEXT_FILES for file in Path().glob(pattern)):
        committed = subprocess.run(["git", "show", f"HEAD:{file}"], check=True, capture_output=True).stdout
        reword = rewording(json.loads(committed), json.loads(file.read_bytes()))
        for example in EXAMPLES.rglob("*.json"):
            before = json.loads(example.read_bytes())
            after = reworded(before, reword)
            if after != before:
                example.write_text(json.dumps(after, ensure_ascii=False, indent=2) + "\n", "utf-8")


def write_proxy_documents() -> None:
    """Write the titles and details of the proxy's problem documents in English."""
    texts = json.loads(Path("service/texts/en.json").read_bytes())
    for file in PROXY_DOCUMENTS.glob("*.http"):
        file.write_bytes(proxy_document(file.read_bytes(), texts))


def proxy_document(response: bytes, texts: Mapping[str, Mapping[str, str]]) -> bytes:
    newline = b"\r\n" if b"\r\n\r\n" in response else b"\n"
    head, _, body = response.partition(newline * 2)
    problem = json.loads(body)
    code = problem["code"]
    problem["title"] = texts["titles"][code]
    if code not in PROXY_DETAILS:
        problem["detail"] = texts["details"][code]
    encoded = json.dumps(problem, ensure_ascii=False, separators=(",", ":")).encode()
    head = re.sub(rb"(?i)(content-length: )\d+", rb"\g<1>%d" % len(encoded), head)
    return head + newline * 2 + encoded


def main() -> None:
    """Rewrite all files in the order of their dependence."""
    reword_examples()
    write_proxy_documents()
    for module in ("tests.contract.recorder", "tests.clients.packages", "tests.draw_pictures"):
        subprocess.run([sys.executable, "-P", "-m", module], check=True)


if __name__ == "__main__":
    main()
