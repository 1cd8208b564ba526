"""Lint for plain English: finds sentences, names and commit subjects that have to be read twice.

It reads docstrings, comments and constants of Python, comments of other languages, Markdown pages, English message
files. It also reads the texts of the OpenAPI document and the subjects of new commits. Each finding cites a rule of
`CONTRIBUTING.md`. The allowed number of findings per folder stands in `english_counts.json` and may only fall.

    python3 dev.py check --english                    counts per folder
    python3 dev.py check --english service/http       findings in a folder or file
    python3 dev.py check --english --lower            lower the allowed counts to the current ones
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tools.english_sources import Text, read_texts

COUNTS_FILE: Final = Path(__file__).with_name("english_counts.json")
MAX_WORDS: Final = 25
MAX_SUBJECT_CHARACTERS: Final = 72
MIN_SUMMARY_WORDS: Final = 2
MAX_SUMMARY_WORDS: Final = 5
PROSE: Final = frozenset(
    {"module", "class", "function", "private", "constant", "comment", "page", "contract", "message"}
)
DOCSTRINGS: Final = frozenset({"module", "class", "function", "private", "constant"})


@dataclass(frozen=True, slots=True)
class Finding:
    """A place that breaks a rule."""

    path: str
    line: int
    rule: int
    phrase: str
    hint: str

    def __str__(self) -> str:
        """Return the line that a terminal shows."""
        return f"{self.path}:{self.line}: rule {self.rule}: {self.phrase!r}: {self.hint}"


@dataclass(frozen=True, slots=True)
class Pattern:
    """A phrase that breaks a rule wherever it occurs in texts of these kinds."""

    rule: int
    regex: re.Pattern[str]
    hint: str
    kinds: frozenset[str] = PROSE
    outside: tuple[str, ...] = ()
    """Folders in which the phrase is correct."""


def _phrase(regex: str, flags: int = re.IGNORECASE) -> re.Pattern[str]:
    return re.compile(regex.replace(" ", r"\s+"), flags)


TABLES: Final = ("games", "tests/games", "tests/toy", "clients/games", "docs/games")
"""Folders about games, where players do ask and answer."""

PATTERNS: Final = (
    Pattern(
        1,
        _phrase(
            r"\A(?:(?:What|Who|Whom|Whose|Whoever|Whatever|How|Where|Which|Why|Whether|Those|That|One that|All that)"
            r"(?= [a-z])"
            r"|(?:So|As) (?:many|much|long|often|far|few)\b)",
            0,
        ),
        "begin with a noun phrase (module, class, constant) or a verb (function)",
        DOCSTRINGS,
    ),
    # Also in the rules of a game, a function returns and sends.
    Pattern(
        4,
        _phrase(r"\A(?:Tell|Ask|Say|Hear|Know|Learn)s? ", 0),
        "use return, raise, send, request, read",
        DOCSTRINGS - {"class"},  # a move of a game may be to ask
    ),
    # Any sentence that begins with a bare relative clause; questions are recognised by their question mark.
    Pattern(
        2,
        _phrase(r"(?<=[.!;:\n]\s)(?:What|Who|Whoever|Whatever|Whom|Those)(?= [a-z])(?![^.!]*\?)", 0),
        "put a noun in front of the relative clause",
    ),
    Pattern(
        2,
        re.compile(r"\A(?:What|Whoever|Whatever|Whom|Those) (?=[a-z])(?![^.!]*\?)|\AWho (?=[a-z])(?![^.!]*\?)"),
        "put a noun in front of the relative clause",
        frozenset({"comment", "page", "contract", "message"}),
    ),
    Pattern(
        2,
        _phrase(
            r"\b(?:of|for|by|to|from|with|in|at|than|on|as|and|about|into|from|after|before|but|or|is|are|has) "
            r"(?:what|who|whoever|whatever)\b(?! (?:to|is wrong)\b)(?![^.!;]*\?)"
        ),
        "put a noun in front of the relative clause",
    ),
    Pattern(2, _phrase(r"\bwhom\b"), "put a noun in front of the relative clause"),
    Pattern(
        2,
        _phrase(
            r"(?<=[\w,;:)]\s)so (?:many|much)\b(?! (?:that|as)\b)|\bby how (?:many|much)\b"
            r"|[,;:] what (?!to\b)(?=[a-z])"
        ),
        "name the number, the amount or the thing",
        DOCSTRINGS | {"comment"},
    ),
    Pattern(4, _phrase(r"\btells? whether\b"), "use return whether", DOCSTRINGS),
    Pattern(
        2,
        _phrase(
            r"\A(?:Return|Yield|Draw|Put|Set|Add|Take|Count|Print|Note|Show)s? (?:(?:in|on|for|by|at) )?"
            r"(?:what|how|whose|who|where|why)\b|\A(?:For|In|After|On|Until|By|At|To) (?:how|what)\b"
        ),
        "name the value: the number of, the worth of, the seat that",
    ),
    Pattern(
        2,
        _phrase(
            r"\b(?:those|one|ones|he|she|they|anybody|nobody|somebody|everybody|anyone|everyone|all) (?:who|whose)\b"
            r"|\b(?:those|one|ones|all|much|nothing|little) that\b(?! (?:is|it) (?:how|why)\b)"
        ),
        "name the noun: callers that, seats that, the request that",
    ),
    Pattern(
        3,
        _phrase(r"\band so (?:is|are|was|were|do|does|did|has|have|can|may|must|will|would)\b"),
        "begin a new sentence",
    ),
    Pattern(3, _phrase(r"\bas (?:many|much) as (?:may|can|are|is|there)\b"), "name the limit"),
    Pattern(
        4,
        _phrase(r"\b(?:tells?|told|telling|hears?|heard|hearing|says?|said|saying)\b"),
        "use return, send, notify, report, state; keep this verb for people at a table",
        outside=TABLES,
    ),
    Pattern(
        4,
        _phrase(
            r"\b(?:service|server|store|script|client|process|worker|function|module|code|it|queue|proxy|Redis|"
            r"thread|keeper|test|program|library|browser|address|kernel) (?:knows?|knew|learns?|learned|asks?|asked)\b"
        ),
        "a program reads, holds, receives or requests",
    ),
    Pattern(
        4, _phrase(r"\b(?:is|are|was|were|be|been|being) asked\b"), "use requested, called, queried", outside=TABLES
    ),
    Pattern(
        10, _phrase(r"\b(?:is|are|was|were) (?:not )?to be\b(?! (?:fair|sure)\b)"), "use must, can, or the active voice"
    ),
    Pattern(10, _phrase(r"\b(?:anew|thereof|whereof|wherein|herein|hitherto|lest)\b"), "use again, or the plain word"),
    # Prose is British; programs keep the spelling of their libraries, which stand in backticks.
    Pattern(
        10,
        _phrase(
            r"\b(?:behaviors?|favou?rably|favors?|favorites?|honors?|honored|neighbors?|labeled|labeling|canceled|"
            r"canceling|modeled|modeling|catalogs?|gray|centers?|centered|analyz(?:e|ed|es|ing)|colors?|colored)\b"
        ),
        "use the British spelling",
    ),
)

BARE: Final = re.compile(
    r"(?:MOST|LEAST|LONGEST|SHORTEST|LARGEST|SMALLEST|BIGGEST|HIGHEST|LOWEST|DEEPEST|TALLEST|DEAREST|NEWEST|OLDEST"
    r"|FEWEST|BUSIEST|WIDEST|FEW|MANY|AGAIN|TOGETHER|ENOUGH|PLENTY|SOON|LATER|OFTEN|ALWAYS|NEVER|EVER|ONCE|TWICE|APART"
    r"|AWAY|AHEAD|BEYOND|BETWEEN|ALIKE|ALONE|BESIDE|DOUBT|SURE|DEAF|HARDLY|SELDOM|ANEW|AFTERWARDS|MEANWHILE|FURTHER"
    r"|WHAT|WHO|WHOSE|HOW|WHERE|WHEN|WHY|THOSE|SUCH|TILL|UNTIL|SINCE)"
)
"""Superlatives and adverbs, which do not name a value (rule 6)."""

PARTICIPLES: Final = re.compile(
    r"(?:TOLD|ASKED|SAID|HEARD|UNHEARD|KNOWN|MADE|GIVEN|TAKEN|WANTED|KEPT|TRIED|SHOWN|DRAWN|PLAYED|SEARCHED|HIDDEN"
    r"|ANSWERED|UNREAD|LISTED|FOUND)"
)
"""Participles, which name a value only in the rules of games, where they are kinds of events."""

REASONS: Final = re.compile(
    r"\b(?:because|so that|since|otherwise|would|unlike|although|even (?:if|though|where)|must not|cannot|never|"
    r"as (?:it|they|the|a|an|this|no)|for (?:it|they)|instead of|in place of|only|rather than|see|RFC|decision)\b|https?://|\b[A-Z]{2}-D?\d"
)
"""Words of a reason, a limit or a source, which justify the docstring of a private function (rule 8)."""


def findings_in(text: Text) -> Iterator[Finding]:
    """Yield the places of one text that break a rule."""
    if text.kind in SPECIAL:
        yield from SPECIAL[text.kind](text)
        return
    prose = plain(text.text)
    found: set[tuple[int, int]] = set()
    for pattern in PATTERNS:
        if text.kind in pattern.kinds and not text.path.startswith(pattern.outside or ("\0",)):
            for match in pattern.regex.finditer(prose):
                if (pattern.rule, match.start()) in found:
                    continue
                found.add((pattern.rule, match.start()))
                line = text.line + prose.count("\n", 0, match.start())
                yield Finding(text.path, line, pattern.rule, " ".join(match.group().split()), pattern.hint)
    for line, sentence in sentences(prose):
        words = [word for word in sentence.split() if any(map(str.isalnum, word))]
        if len(words) > MAX_WORDS:
            hint = f"{len(words)} words; write one idea per sentence, at most {MAX_WORDS} words"
            yield Finding(text.path, text.line + line, 3, " ".join(words[:4]) + " …", hint)
    if text.kind == "private" and not REASONS.search(prose):
        yield Finding(text.path, text.line, 8, " ".join(prose.split()[:5]), "delete the docstring, or explain why")


def _name_findings(text: Text) -> Iterator[Finding]:
    words = text.text.strip("_").split("_")
    bare = BARE.fullmatch(words[0]) or BARE.fullmatch(words[-1])
    if bare or (PARTICIPLES.fullmatch(words[-1]) and not text.path.startswith(TABLES)):
        hint = "end in a unit or a plural noun; begin a bound with MAX_ or MIN_"
        yield Finding(text.path, text.line, 6, text.text, hint)


def _summary_findings(text: Text) -> Iterator[Finding]:
    if not MIN_SUMMARY_WORDS <= len(text.text.split()) <= MAX_SUMMARY_WORDS or text.text.endswith("."):
        hint = f"use an imperative of {MIN_SUMMARY_WORDS} to {MAX_SUMMARY_WORDS} words without a full stop"
        yield Finding(text.path, text.line, 1, text.text, hint)


def _subject_findings(text: Text) -> Iterator[Finding]:
    if len(text.text) > MAX_SUBJECT_CHARACTERS:
        yield Finding(
            text.path, text.line, 9, text.text, f"at most {MAX_SUBJECT_CHARACTERS} characters; reasons go into the body"
        )
    if re.match(
        r"(?:Who|Whoever|What|Whatever|Where|How|Those|Each|So|As)\b", text.text.split(": ")[-1], re.IGNORECASE
    ):
        yield Finding(text.path, text.line, 9, text.text, "begin with an imperative")


SPECIAL: Final = {"name": _name_findings, "summary": _summary_findings, "subject": _subject_findings}
"""The checks of texts that are not prose."""

_CODE: Final = re.compile(r"```.*?(?:```|\Z)|``[^`]+``|`[^`\n]+`|`[^`]+`", re.DOTALL)
_LAYOUT: Final = re.compile(r"^ {8,}(?=\S).*|^.*\S {3,}\S.*$|^ *(?:>>>|\$ ).*$", re.MULTILINE)
_LINK: Final = re.compile(r"\]\([^)\s]*\)|<https?:[^>]*>|https?://\S+")
_QUOTED: Final = re.compile(r'"[^"\n]{1,200}"|“[^”\n]{1,200}”')


def plain(text: str) -> str:
    """Return a text without code, tables, link targets and quotations; line breaks stay where they are."""
    for pattern in (_LAYOUT, _CODE, _LINK, _QUOTED):
        text = pattern.sub(_blank, text)
    return text


def _blank(match: re.Match[str]) -> str:
    if match.re is _LAYOUT:
        return ""
    return "x" + "\n" * match.group().count("\n")


_SENTENCE_END: Final = re.compile(
    r"[.!?:]+[)*_\"]*(?=\s)|\n\s*\n|\n(?=\s*(?:[-*+]|\d+\.|\|)\s)|(?<=\|)|\n(?=#)|<[a-z/][^>]*>"
)


def sentences(prose: str) -> Iterator[tuple[int, str]]:
    """Yield the sentences of a text, each with the number of line breaks before it; list items and cells end one."""
    start = 0
    for match in _SENTENCE_END.finditer(prose):
        yield prose.count("\n", 0, start), prose[start : match.end()]
        start = match.end()
    yield prose.count("\n", 0, start), prose[start:]


def folder_of(path: str) -> str:
    """Return the folder that a file is counted under: two levels of the large packages, else one."""
    parts = path.split("/")
    if parts[0] in {"openapi", "commits"}:
        return parts[0]
    return "/".join(parts[: min(2, len(parts) - 1)]) or "."


def count_by_folder(findings: Iterable[Finding]) -> dict[str, int]:
    """Return the number of findings per folder."""
    return dict(sorted(Counter(folder_of(finding.path) for finding in findings).items()))


def complaints(allowed: Mapping[str, int], current: Mapping[str, int]) -> list[str]:
    """Return a line per folder whose count differs from the allowed one."""
    lines = []
    for folder in sorted(allowed.keys() | current.keys()):
        before, now = allowed.get(folder, 0), current.get(folder, 0)
        if now > before:
            lines.append(f"{folder}: {now} findings, {before} allowed; see `python3 dev.py check --english {folder}`")
        elif now < before:
            lines.append(f"{folder}: {now} findings, {before} allowed; run `python3 dev.py check --english --lower`")
    return lines


def lowered(allowed: Mapping[str, int], current: Mapping[str, int]) -> dict[str, int]:
    """Return the allowed counts, none of them higher than the current count."""
    return {folder: min(count, current[folder]) for folder, count in allowed.items() if current.get(folder)}


def new_subjects() -> list[Text]:
    """Return the commit subjects that are not on main yet; landed ones cannot be changed."""
    for main in ("origin/main", "main"):
        command = ["git", "log", "--no-merges", "--format=%h %s", f"{main}..HEAD"]
        log = subprocess.run(command, check=False, capture_output=True, text=True)
        if log.returncode == 0:
            rows = (line.partition(" ") for line in log.stdout.splitlines())
            return [Text(f"commits/{commit}", 1, "subject", subject) for commit, _, subject in rows]
    return []


def all_findings() -> list[Finding]:
    """Return the findings of the whole checkout."""
    return [finding for text in (*read_texts(Path()), *new_subjects()) for finding in findings_in(text)]


def load_counts() -> dict[str, int]:
    """Return the allowed number of findings per folder."""
    counts: dict[str, int] = json.loads(COUNTS_FILE.read_text("utf-8"))
    return counts


def render(counts: Mapping[str, int]) -> str:
    """Return the file of allowed counts. Blank lines between the rows let Git merge changes of different folders."""
    return (
        "{\n" + ",\n\n".join(f"  {json.dumps(folder)}: {count}" for folder, count in sorted(counts.items())) + "\n}\n"
    )


def main(arguments: list[str]) -> None:
    """Compare the counts with the allowed ones, or print the findings of the named folders and files."""
    parser = argparse.ArgumentParser(prog="dev.py check --english")
    parser.add_argument("paths", nargs="*", help="folders and files to list")
    parser.add_argument("--lower", action="store_true", help="lower the allowed counts to the current ones")
    parser.add_argument("--subject", type=Path, help="check the commit message in this file instead")
    options = parser.parse_args(arguments)
    if options.subject:
        subject = Text("commit", 1, "subject", options.subject.read_text("utf-8").partition("\n")[0])
        sys.exit("\n".join(map(str, findings_in(subject))) or 0)
    if options.paths:
        listed = [finding for text in read_texts(Path(), options.paths) for finding in findings_in(text)]
        print(*listed, sep="\n")
        print(f"english: {len(listed)} findings")
        return
    findings = all_findings()
    current = count_by_folder(findings)
    if options.lower:
        COUNTS_FILE.write_text(render(lowered(load_counts(), current)), "utf-8")
    wrong = complaints(load_counts(), current)
    print(*wrong, sep="\n")
    print(f"english: {len(findings)} findings, {sum(load_counts().values())} allowed")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main(sys.argv[1:])
