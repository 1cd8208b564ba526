"""Converts sessions and logs of earlier rulesets to the current ruleset.

Log entries stay unchanged in Redis, and are converted whenever they are read.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec
from msgspec import UnsetType

from games.core.evolution import Chain, Rewrite, UnknownRulesetError
from games.core.game import Draw, Entry, Game
from service.sessions.errors import OtherRuleset
from service.sessions.session_events import HAPPENINGS
from service.store.sessions import NOTHING, LogEntry, Session

_BESIDES: Final = frozenset(str(kind.__struct_config__.tag) for kind in HAPPENINGS)


def migrate(games: Mapping[str, Game], session: Session, *, with_record: bool = True) -> Session:
    """Convert a session to the current ruleset of its game.

    If the conversion is impossible, return the session unchanged. If `with_record` is true, also convert the stored
    table.
    """
    charter, game = session.charter, games.get(session.charter.game)
    if game is None or charter.ruleset == game.ruleset:
        return session
    try:
        chain = game.since(charter.ruleset)
    except UnknownRulesetError:
        return session
    return msgspec.structs.replace(
        session,
        record=bytes(_rewritten(chain.record, session.record)) if with_record and session.dealt else session.record,
        charter=msgspec.structs.replace(
            charter,
            ruleset=game.ruleset,
            first_ruleset=charter.first_ruleset or charter.ruleset,
            options=chain.options(charter.options),
        ),
    )


def migrate_entry(game: Game, session: Session, line: LogEntry) -> LogEntry:
    """Convert a log entry to the current ruleset. Raise OtherRuleset if the conversion is impossible."""
    written = line.ruleset or session.charter.first_ruleset or session.charter.ruleset
    if written == game.ruleset:
        return line
    try:
        chain, entry = game.since(written), line.entry
    except UnknownRulesetError:
        raise OtherRuleset(written) from None
    if entry is not None:
        entry = _entry(chain, entry)
    return msgspec.structs.replace(
        line,
        ruleset=game.ruleset,
        entry=entry,
        outcomes=_outcomes(chain, line.outcomes),
        record=_rewritten(chain.record, line.record) if bytes(line.record) else NOTHING,
        heard=[(hearers, _event(chain, event)) for hearers, event in line.heard],
    )


def _entry(chain: Chain, entry: Entry) -> Entry:
    content = entry.content
    return msgspec.structs.replace(
        entry,
        move=chain.code(entry.move),
        outcomes=_outcomes(chain, entry.outcomes),
        content=content if isinstance(content, UnsetType) else chain.content(entry.move, content),
    )


def _outcomes(chain: Chain, outcomes: list[Draw]) -> list[Draw]:
    return msgspec.convert(chain.outcomes(msgspec.to_builtins(outcomes)), list[Draw])


def _event(chain: Chain, raw: msgspec.Raw) -> msgspec.Raw:
    event: Any = msgspec.json.decode(raw)
    return raw if event["kind"] in _BESIDES else _rewritten(chain.event, raw)


def _rewritten(rewrite: Rewrite, raw: bytes | msgspec.Raw) -> msgspec.Raw:
    return msgspec.Raw(msgspec.json.encode(rewrite(msgspec.json.decode(raw))))
