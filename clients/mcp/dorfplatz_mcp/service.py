"""The tables of one service for the tools. Seat tokens never leave this module."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final, cast

import httpx

from dorfplatz_client import Client, Job, ProblemError, Seat
from dorfplatz_mcp import answers
from dorfplatz_mcp.compact import (
    LIST_CHARACTERS,
    VIEW_CHARACTERS,
    changes,
    compact,
    compact_view,
    cut,
    ditto,
    last_page,
    page,
    part_of,
    summary,
    written,
)
from dorfplatz_mcp.tables import Table, Tables

MAX_WAIT_SECONDS: Final = 25
HINT_ITERATIONS: Final = 2_000
HINT_SECONDS: Final = 55.0
"""Maximum time to wait for a hint; an agent's client times out after a minute."""

FIRST_PAUSE_SECONDS: Final = 0.05
MAX_PAUSE_SECONDS: Final = 1.0
NEWS_CHARACTERS: Final = 160
LINE_CHARACTERS: Final = 300
MARGIN_CHARACTERS: Final = 150
"""Characters of a page reserved for its other fields."""

GOING_ON: Final = frozenset({"queued", "running"})

Json = dict[str, Any]


class RefusedError(Exception):
    """A refusal; the message gives the reason to the agent."""


class Service:
    """The tables of one service, each known to agents by a handle that is valid only here.

    The holder of a handle plays the seat. The handle is therefore returned only once, when the agent opens or joins the
    table. Every method raises RefusedError.
    """

    def __init__(self, client: Client, *, hint_iterations: int = HINT_ITERATIONS, tables: Tables | None = None) -> None:
        """Take a client of the service, with an API key if the service needs one."""
        self.client = client
        self._hint_iterations = hint_iterations
        self._tables = Tables() if tables is None else tables

    def games(self) -> answers.Games:
        """Return every game: its id, name and numbers of seats."""
        with as_refusals():
            cards = self.client.games()
        return {
            "games": [
                {"game": card["game"], "name": card["names"]["en"], "seats": numbers_of(card["seat_counts"])}
                for card in cards
            ]
        }

    def rules(self, game: str) -> list[answers.RuleTold]:
        """Return every rule of a game."""
        with as_refusals():
            return [{"id": rule["id"], "sentence": rule["sentence"]} for rule in self.client.rules(game)]

    def open_table(self, game: str, bots: list[str], name: str, seed: str | None, number: int) -> answers.TableOpened:
        """Open a table with a seat for the agent; `bots` are levels, or `open` for a seat with an invite code."""
        if not 0 <= number <= len(bots):
            raise RefusedError(f"There are seats 0 to {len(bots)}: yours and one for each of `bots`.")
        settings = {} if seed is None else {"seed": seed}
        with as_refusals():
            return self._take(self.client.play(game, bots, seat=number, name=name, **settings), number)

    def join_table(self, session: str, number: int, code: str | None, name: str) -> answers.TableOpened:
        """Take an open seat of a session."""
        with as_refusals():
            return self._take(self.client.claim(session, number, code=code, name=name), number)

    def look(self, handle: str, wait: int = 0, part: str | None = None, *, full: bool = False) -> answers.Look:
        """Return the seat's knowledge; with `wait`, once it must move, the game ends, or the time in seconds is over.

        The first look shows the view, later ones only its changes unless `full`. A wait that times out shows neither.
        `part` is the path of one part to show instead.
        """
        with self._at(handle) as table:
            until = time.monotonic() + wait
            known = table.looked
            table.seat.look()
            while known and self._waits(table) and (left := int(until - time.monotonic())) > 0:
                table.seat.look(wait=min(left, MAX_WAIT_SECONDS))
            table.looked = True
            shown = self._standing(table)
            if part is None:
                self._add_news(shown, table)
            view = table.seat.state.get("view")
            if view is None or (known and wait and self._waits(table)):
                return cast("answers.Look", shown)
            return cast("answers.Look", {**shown, **self._shown(table, cast("Json", view), part, shown, full=full)})

    def legal_moves(
        self, handle: str, first: int = 0, kind: str | None = None, containing: str | None = None
    ) -> answers.Moves:
        """Return a page of the seat's legal moves; the agent has then seen the version of the page."""
        with self._at(handle) as table:
            state = cast("Json", table.seat.look(legal_moves=True))
            table.looked = True
        listed = state.get("legal_moves", {}).get("moves", [])
        wanted = [
            move
            for move in listed
            if kind in (None, move["move"]["kind"]) and (containing or "").casefold() in move["label"].casefold()
        ]
        rows = [(str(move["code"]), cut(move["label"], LINE_CHARACTERS)) for move in wanted]
        kinds = dict(Counter(move["move"]["kind"] for move in listed))
        found: answers.Moves = {"version": state["version"], "total": len(rows), "moves": {}}
        room = LIST_CHARACTERS - MARGIN_CHARACTERS - len(written(kinds))
        found["moves"] = dict(page(ditto(rows[first:]), 0, room, cost=lambda row: len(written(row))))
        if first + len(found["moves"]) < len(rows):
            found["next"] = first + len(found["moves"])
        if first or "next" in found:
            found["kinds"] = kinds
        if state.get("legal_moves", {}).get("mode") == "schema":
            found["examples"] = True
        return found

    def move(self, handle: str, move: Json) -> answers.Played:
        """Make a move at the version seen last; if the seat must move again, show the changes in its view."""
        with self._at(handle) as table:
            played = self._seen(table).move(move)
            table.own.add(played["version"])
            shown = self._standing(table)
            texts = [cut(told["text"], LINE_CHARACTERS) for told in played["events"]]
            news = last_page(texts, NEWS_CHARACTERS, cost=lambda text: len(written(text)))
            if not table.seat.is_asked and not table.seat.is_over:  # the next look shows whose turn it is
                del shown["headline"], shown["actors"]
            shown["news"] = news
            view = table.seat.state.get("view")
            if view is not None and table.seat.is_asked and table.view is not None:
                shown |= self._shown(table, cast("Json", view), None, shown, full=False)
            return cast("answers.Played", shown)

    def why_not(self, handle: str, move: Json) -> answers.Check:
        """Return whether a move is legal, or the rule that forbids it and the reason, without playing it."""
        with self._at(handle) as table:
            try:
                self._seen(table).check(move)
            except ProblemError as problem:
                if not problem.errors:
                    raise
                return {"legal": False, "why": problem.detail, "errors": cast("list[Json]", problem.errors)}
            return {"legal": True}

    def hint(self, handle: str, top: int) -> answers.Hint:
        """Return the best moves by a search from the seat's knowledge."""
        with self._at(handle) as table:
            job = table.seat.hint(iterations=self._hint_iterations, top=top, explain=True)
        with as_refusals():
            found = wait_for_result(job)
        rows = [rated(move) for move in found["moves"]]
        room = LIST_CHARACTERS - MARGIN_CHARACTERS
        return {
            "iterations": found["iterations"],
            "moves": page(rows, 0, room, cost=lambda row: len(written(row))),
        }

    def history(self, handle: str, first: int | None = None) -> answers.History:
        """Return a page of the history that the seat knows: from a line on, or the last lines."""
        with self._at(handle) as table:
            lines, total, begins = self._lines(table.seat, first)
        room = LIST_CHARACTERS - MARGIN_CHARACTERS
        texts = [history_text(line) for line in lines]
        if first is None:
            shown = last_page(texts, room, cost=lambda text: len(written(text)))
            begins += len(texts) - len(shown)
        else:
            shown = page(texts, 0, room, cost=lambda text: len(written(text)))
        found: answers.History = {"first": begins, "total": total, "lines": shown}
        if begins + len(shown) < total:
            found["next"] = begins + len(shown)
        return found

    def _lines(self, seat: Seat, first: int | None) -> tuple[list[Json], int, int]:
        begins = first or 0
        while True:
            told = seat.history(begins)
            lines, total = cast("list[Json]", told["lines"]), told["total"]
            if first is not None or begins + len(lines) >= total:
                return lines, total, begins
            begins = max(begins + len(lines), total - len(lines))

    def _take(self, seat: Seat, number: int) -> answers.TableOpened:
        state = cast("Json", seat.state)
        opened: answers.TableOpened = {
            "table": self._tables.add(Table(seat, number)),
            "session": seat.session,
            "seat": number,
            "game": state["game"],
            "status": state["status"],
            "players": [name_of(each) for each in state["seats"]],
        }
        if (options := compact((state.get("view") or {}).get("options", {}))) and len(
            written(options)
        ) < VIEW_CHARACTERS:
            opened["options"] = options
        if seat.invites:
            opened["invites"] = [{"seat": each, "code": code} for each, code in seat.invites.items()]
        return opened

    @contextmanager
    def _at(self, handle: str) -> Iterator[Table]:
        """Yield the table of a handle, and convert refusals to sentences that only an agent reads."""
        table = self._tables.get(handle)
        if table is None:
            raise RefusedError("There is no such table here: open_table and join_table tell the handle of one.")
        with as_refusals():
            yield table

    @staticmethod
    def _waits(table: Table) -> bool:
        return not (table.seat.is_over or table.seat.is_asked)

    @staticmethod
    def _standing(table: Table) -> Any:
        state = cast("Json", table.seat.state)
        shown: Json = {
            "version": state["version"],
            "your_turn": table.seat.is_asked,
            "headline": cut(state["headline"], LINE_CHARACTERS),
        }
        if state["status"] != "running":
            shown["status"] = state["status"]
        if not table.seat.is_asked:
            shown["actors"] = state["actors"]
        at = [each["at"] for each in state.get("deadlines", ()) if each["seat"] == table.number]
        outcome = {"rewards": state["outcome"]["rewards"]} if state.get("outcome") else {}
        return {**shown, **({"deadline": at[0]} if at else {}), **outcome}

    def _add_news(self, shown: answers.Look, table: Table) -> None:
        """Add others' actions since the last response, but not its own moves, which `move` has returned."""
        lines, total, begins = self._lines(table.seat, table.heard or None)
        others = [line for line in lines[max(0, table.heard - begins) :] if line.get("version") not in table.own]
        table.own.clear()
        texts = [cut(told["text"], LINE_CHARACTERS) for line in others for told in line["events"]]
        table.heard = total
        kept = last_page(texts, NEWS_CHARACTERS, cost=lambda text: len(written(text)))
        if kept:
            shown["news"] = kept
        if len(kept) < len(texts):
            shown["earlier"] = len(texts) - len(kept)

    @staticmethod
    def _shown(table: Table, view: Json, part: str | None, told: Any, *, full: bool) -> Json:
        room = VIEW_CHARACTERS - len(written(told))
        if part is not None:
            return view_of(view, part, room)
        old, table.view = table.view, compact_view(view)
        changed = {} if old is None else changes(old, table.view)
        if full or old is None or len(written(changed)) > min(room - MARGIN_CHARACTERS, len(written(table.view))):
            return view_of(view, None, room)
        return {"changed": changed} if changed else {}

    @staticmethod
    def _seen(table: Table) -> Seat:
        """Return a seat at the version that the agent has seen, or at the current one since it has not looked."""
        if not table.looked:
            table.seat.look()
            table.looked = True
        return table.seat


def view_of(view: Json, part: str | None, characters: int) -> Json:
    """Return the fields that show a view, or one part of it by its path, within a number of characters."""
    room = characters - MARGIN_CHARACTERS
    if part is None:
        shown, left_out = summary(compact_view(view), room)
        return {"view": shown} | ({"left_out": left_out} if left_out else {})
    try:
        found = part_of(view, part)
    except KeyError:
        raise RefusedError(f"The view has no part {part}.") from None
    if isinstance(found, dict):
        inner, left_out = summary(compact(found), room)
        return {"part": inner} | ({"left_out": [f"{part}/{each}" for each in left_out]} if left_out else {})
    return {"part": page(found, 0, room, cost=lambda row: len(written(row))) if isinstance(found, list) else found}


def numbers_of(counts: Any) -> list[int]:
    """Return the numbers of seats of a game."""
    return list(counts["allowed"]) if "allowed" in counts else list(range(counts["min"], counts["max"] + 1))


def name_of(seat: Mapping[str, Any]) -> str:
    """Return the name of a seat's occupant."""
    if seat["kind"] == "bot":
        return f"bot {seat['bot']['level']}"
    return cut(str(seat.get("name", seat["kind"])), LINE_CHARACTERS)


def history_text(line: Json) -> str:
    """Return a line of history as text: the seat, its move, and its events."""
    seat = "" if line.get("seat") is None else f"seat {line['seat']}"
    label = line.get("label", "")
    told = " ".join(each["text"] for each in line["events"])
    head = ": ".join(part for part in (seat, label) if part)
    undone = " (taken back)" if line.get("undone") else ""
    return cut(" | ".join(part for part in (f"{head}{undone}", told) if part), LINE_CHARACTERS)


def rated(move: Json) -> answers.MoveRated:
    """Return a move of a search or of a puzzle with its value and its reasons, as far as it has some."""
    found: Json = {"code": move["code"], "label": cut(move["label"], LINE_CHARACTERS)}
    if "value" in move:
        found["value"] = round(move["value"], 3)
    reasons = move.get("reasons")
    if reasons:
        texts = {name: [reason["text"] for reason in reasons[name]] for name in ("gains", "risks")}
        then = [f"seat {reply['seat']}: {cut(reply['label'], LINE_CHARACTERS)}" for reply in reasons["line"][1:]]
        told = {"confidence": reasons["confidence"]["text"], **texts, "then": then}
        found |= {name: text for name, text in told.items() if text}
    return cast("answers.MoveRated", found)


def wait_for_result(job: Job) -> Any:
    """Wait for a job's result; raise ProblemError or RefusedError."""
    began, pause = time.monotonic(), FIRST_PAUSE_SECONDS
    while job.shown["state"] in GOING_ON and time.monotonic() < began + HINT_SECONDS:
        time.sleep(pause)
        pause = min(2 * pause, MAX_PAUSE_SECONDS)
        job.look()
    if "problem" in job.shown:
        raise ProblemError(job.shown["problem"])
    if "result" not in job.shown:
        raise RefusedError(f"There is no hint: the search is {job.shown['state']}.")
    return job.shown["result"]


@contextmanager
def as_refusals() -> Iterator[None]:
    """Convert the service's problems, and its unavailability, to refusals for the agent."""
    try:
        yield
    except ProblemError as problem:
        raise RefusedError(sentence(problem)) from None
    except httpx.HTTPError as error:
        raise RefusedError(f"The service does not answer ({type(error).__name__}). Try again later.") from None


def sentence(problem: ProblemError) -> str:
    """Return a problem document as text: its code and detail, and each error with its place, reason and rule."""
    rows = [f"{problem.code}: {problem.detail}" if problem.code else problem.detail]
    for error in problem.errors:
        rule = f" (rule {error['rule']})" if "rule" in error else ""
        rows.append(f"- {error.get('pointer') or '/'}: {error['detail']}{rule}")
    return "\n".join(page(rows, 0, VIEW_CHARACTERS, cost=len))
