"""The page on strength, `docs/strength.md`, from the stored tournaments, matches and coverage."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from string import Template
from typing import Final

import msgspec

from bench import beliefs, coverage, ladder, matches
from bench import levels as choosing
from bench.beliefs import Beliefs, Bin
from bench.coverage import Coverage
from bench.ladder import Ladder
from bench.matches import Match
from bench.report import table
from games.core.game import Game
from games.core.levels import LADDER, Level, level_of
from games.core.registry import registered
from workers.simulate.ratings import EloRating
from workers.simulate.tally import wilson

MIN_GAMES: Final = 400
"""Number of games after which a match is considered to have met its bar."""

HERE: Final = Path(__file__).resolve().parent
PAGE: Final = HERE.parent / "docs" / "strength.md"


def write() -> Path:
    """Write the page from everything that is kept, and return it."""
    rated = [msgspec.json.decode(path.read_bytes(), type=Ladder) for path in sorted(ladder.RESULTS.glob("*.json"))]
    played = [msgspec.json.decode(path.read_bytes(), type=Match) for path in sorted(matches.RESULTS.glob("*.json"))]
    looked = [msgspec.json.decode(path.read_bytes(), type=Coverage) for path in sorted(coverage.RESULTS.glob("*.json"))]
    heard = [msgspec.json.decode(path.read_bytes(), type=Beliefs) for path in sorted(beliefs.RESULTS.glob("*.json"))]
    chosen = [msgspec.json.decode(path.read_bytes(), type=Match) for path in sorted(choosing.RESULTS.glob("*.json"))]
    PAGE.write_text(document(rated, played, looked, heard, chosen))
    return PAGE


def document(
    rated: list[Ladder], played: list[Match], looked: list[Coverage], heard: list[Beliefs], chosen: list[Match]
) -> str:
    """Return the page's text."""
    head = ("challenger", "field", "seats", "games", "result", "95 %", "95 % by deals", "time", "bar", "met", "begun")
    coverage_head = ("game", "seats", "iterations", "against", "best move", "every move tried", "mean width")
    others = [match for match in played if match.units and not match.is_step]
    return Template((HERE / "strength.md").read_text()).substitute(
        choice=steps(chosen, choosing.STEPS),
        run=days(chosen),
        ladder=levels(rated),
        efforts=efforts(),
        yardsticks=steps([match for match in played if match.is_step], matches.STEPS),
        matches="\n".join(
            f"### {game}\n\n{table(head, [cells(match) for match in others if match.game == game])}"
            for game in sorted({match.game for match in others})
        ),
        ceilings=ceilings(others),
        coverage=table(coverage_head, [coverage_cells(found) for found in looked]),
        beliefs=believed(heard),
        machines=", ".join(
            sorted(
                {
                    *(kept.machine for kept in rated),
                    *(match.machine for match in (*played, *chosen)),
                    *(one.machine for one in heard),
                }
            )
        ),
    )


def levels(rated: list[Ladder]) -> str:
    """Return the table of the ladder: a row for each game and number of seats, a column for each level."""
    at = {(kept.game, kept.seats): kept for kept in rated}
    rows = [
        (slug, str(seats), *level_cells(at.get((slug, seats))))
        for slug, game in registered().items()
        for seats in game.seat_numbers
    ]
    return table(("game", "seats", *LADDER, "games"), rows)


def level_cells(kept: Ladder | None) -> tuple[str, ...]:
    """Return every level's rating, with a word where it is not shown to lie above the level before, and all games."""
    if kept is None or not kept.blocks:
        return (*["not played"] * len(LADDER), "0")
    ratings = list(kept.ratings().values())
    doubts = ["", *map(doubt, pairwise(ratings), kept.step_games())]
    return (*(rating(one) + word for one, word in zip(ratings, doubts, strict=True)), f"{kept.games}{age(kept)}")


def rating(one: EloRating) -> str:
    """Return a rating with its 95 % interval; an end that no result bounds is left open."""
    if one.low == one.high:
        return f"{one.elo:.0f}"
    ends = ["open" if end is None else f"{end:+.0f}" for end in (one.low, one.high)]
    return f"{one.elo:+.0f} ({ends[0]} to {ends[1]})"


def doubt(step: tuple[EloRating, EloRating], games: int) -> str:
    """Return the reason why a level is not certainly above the one before it; empty if it is."""
    if games < ladder.STEP_GAMES:
        return f", FEW GAMES ({games})"
    return "" if ladder.apart(*step) else ", OVERLAPS"


def efforts() -> str:
    """Return the table of how each game plays the searching levels, in iterations and temperature."""
    rows: dict[tuple[str, ...], list[str]] = {}
    for slug, game in registered().items():
        for seats in game.seat_numbers:
            row = (slug, *(effort(game, level_of(game, name, seats)) for name in LADDER[1:]))
            rows.setdefault(row, []).append(str(seats))
    return table(("game", "seats", *LADDER[1:]), [(slug, ", ".join(at), *how) for (slug, *how), at in rows.items()])


def effort(game: Game, level: Level) -> str:
    """Return the search of a game's level, if any."""
    if level.name in game.advised:
        return "by skill"
    return f"{level.iterations:,}" + (f" at {level.temperature:g}" if level.temperature else "")


def days(played: list[Match]) -> str:
    """Return the first and the last day on which matches have begun."""
    begun = sorted({match.begun for match in played})
    return " to ".join(dict.fromkeys([*begun[:1], *begun[-1:]])) or "not played"


def steps(played: list[Match], pairs: Sequence[tuple[str, str]]) -> str:
    """Return a table of matches: a row for each game and number of seats, a column for each better and worse player."""
    at = {(match.game, match.seats, match.challenger, match.field): match for match in played}
    head = ("game", "seats", "even", *(f"{better} among {worse}" for better, worse in pairs))
    rows = [
        (
            slug,
            str(seats),
            f"{1 / len(game.teams(seats)):.0%}",
            *(step(at.get((slug, seats, *pair))) for pair in pairs),
        )
        for slug, game in registered().items()
        for seats in game.seat_numbers
    ]
    return table(head, rows)


def step(match: Match | None) -> str:
    """Return a player's wins among weaker ones, with the 95 % interval and whether that lies above even."""
    if match is None:
        return "not played"
    if (match.challenger, match.field) in choosing.STEPS and len(match.results) < ladder.STEP_GAMES:
        return f"FEW GAMES ({len(match.results)})"
    low, high = match.interval
    above = "" if low > 1 / match.sides else ", NOT above"
    return f"{match.rate:.1%} ({low:.1%} to {high:.1%}) of {len(match.results)}{above}{age(match)}"


def age(kept: Match | Ladder | Coverage) -> str:
    """Return a mark if the players or the intervals of a result have changed since."""
    return "" if kept.is_of_today else ", EARLIER"


def cells(match: Match) -> tuple[str, ...]:
    """Return a match as a row of the table."""
    low, high = match.interval
    low_by_deals, high_by_deals = match.paired
    return (
        match.challenger,
        match.field,
        str(match.seats),
        str(len(match.results)),
        f"{match.rate:.1%}",
        f"{low:.1%} to {high:.1%}",
        f"{low_by_deals:.1%} to {high_by_deals:.1%}",
        "" if match.pace is None else f"{match.pace:.2f}",
        "" if match.bar is None else f"{match.bar:.0%}",
        verdict(match),
        match.begun + age(match),
    )


def ceilings(played: list[Match]) -> str:
    """Return the bars of searches among the textbook's beside what cheaters win there, a row for each cheater."""
    textbook = [match for match in played if match.field.startswith("plain")]
    searches = {(match.game, match.seats, match.challenger): match for match in textbook}
    head = ("game", "seats", "bar", "sees his own hand", "sees all hands", "mean when seeing all")
    rows = []
    for cheater in textbook:
        ours = searches.get((cheater.game, cheater.seats, cheater.challenger.replace("cheater", "search")))
        if cheater.challenger.startswith("cheater") and ours is not None and ours.bar is not None:
            results = (result_cell(ours), result_cell(cheater), side_of(ours.bar, cheater))
            rows.append((cheater.game, str(cheater.seats), f"{ours.bar:.0%}", *results))
    return table(head, rows)


def result_cell(match: Match) -> str:
    """Return a match's result with its interval and its games."""
    low, high = match.interval
    return f"{match.rate:.1%} ({low:.1%} to {high:.1%}) of {len(match.results)}"


def side_of(bar: float, match: Match) -> str:
    """Return the side of a bar on which a match's mean lies, and whether its whole interval does."""
    low, high = match.interval
    side = "above the bar" if match.rate > bar else "below the bar"
    return side if low > bar or high < bar else f"{side}, not proven"


def verdict(match: Match) -> str:
    """Return whether a match has met its bar, and whether it has enough games for that."""
    if match.bar is None:
        return ""
    met = "yes" if match.is_met else "NO"
    return met if len(match.results) >= MIN_GAMES else f"{met} so far"


def coverage_cells(found: Coverage) -> tuple[str, ...]:
    """Return the results on intervals as a row of the table."""
    return (
        found.game,
        str(found.seats),
        str(found.iterations),
        str(found.iterations * found.times),
        held(found),
        f"{found.tried_held} of {found.tried}",
        f"{found.width / max(1, found.best):.3f}",
    )


def held(found: Coverage) -> str:
    """Return the number of held intervals of best moves, with Wilson's interval of their share and a mark if low."""
    low, high = wilson(found.best_held, found.best)
    word = "" if high >= coverage.PROMISE else ", TOO NARROW"
    return f"{found.best_held} of {found.best} ({low:.0%} to {high:.0%}){word}{age(found)}"


def believed(heard: list[Beliefs]) -> str:
    """Return the table of beliefs: a row for each tenth of the likeliest and of all stated, a column for each level."""
    head = ("of", "said", *(f"{found.level}, {found.seats} seats, {found.games:,} games" for found in heard))
    rows = [
        (kind, f"{index / beliefs.BINS:.1f} to {(index + 1) / beliefs.BINS:.1f}", *map(bin_cell, bins))
        for kind, each in (
            ("the likeliest", [found.likeliest for found in heard]),
            ("the likeliest five", [found.told for found in heard]),
        )
        for index, bins in enumerate(zip(*each, strict=True))
    ]
    return table(head, rows)


def bin_cell(found: Bin) -> str:
    """Return the stated probability and the frequency of the truth, with a mark if they differ or games are too few."""
    if not found.number:
        return "none"
    said, true = found.said / found.number, found.true / found.number
    word = ("" if found.holds else ", OFF") if found.is_enough else ", FEW GAMES"
    return f"{said:.3f}, {true:.3f} ± {found.doubt:.3f} of {found.number:,}{word}"


def row(match: Match) -> str:
    """Return the state of a match."""
    return "  ".join(filter(None, cells(match)))


def rated(kept: Ladder) -> str:
    """Return the state of a tournament of the levels."""
    return "  ".join([kept.name, *level_cells(kept)])


def covered(found: Coverage) -> str:
    """Return the number of intervals that held."""
    return "  ".join(coverage_cells(found))
