"""Counts the games of a tournament and computes its standings, cross table and ratings.

A block consists of all games with the same deal and the same entrants. Ratings use only completed blocks.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import Any, Final, Self

import msgspec

from workers.simulate.ratings import EloRating, Meeting, Ratings
from workers.simulate.tally import NEXT_LOOK, SHARES, Count, GameCounts, GameResult, summarize_lengths, summed

RATING_DIGITS: Final = 1
"""Number of decimal places of ratings."""


class Blocks(msgspec.Struct):
    """The totals of all completed blocks that have the same combination of entrants.

    A block consists of all games with the same deal and the same entrants. Wins are counted in sixtieths, because
    several seats can share a win.
    """

    line_up: list[int]
    # `shares[a]` is the sum over the blocks of `share(a)`, the share of entrant `a` in one block.
    shares: list[int]
    # `squares[a][b]` is the sum over the blocks of `share(a) * share(b)`.
    squares: list[list[int]]
    blocks: int = 0

    def close(self, running: Sequence[int]) -> None:
        """Add a block to the totals after its last game.

        `running` contains the wins of each entrant in this block, in sixtieths of a win.
        """
        self.blocks += 1
        for one, share in enumerate(running):
            self.shares[one] += share
            for other, its_share in enumerate(running):
                self.squares[one][other] += share * its_share

    def meeting(self, entrants: int) -> Meeting:
        """Return the results as input for `Ratings`."""
        return Meeting(
            [self.line_up.count(entrant) for entrant in range(entrants)],
            self.blocks,
            self.blocks * len(self.line_up),
            [share / SHARES for share in self.shares],
            [[square / SHARES**2 for square in row] for row in self.squares],
        )


class Standings(GameCounts):
    """The results of a tournament so far."""

    names: list[str]
    bots: list[str]
    teams: list[list[int]]
    seed: str
    anchor: int | None
    half_width: float
    counts: list[list[Count]]  # by entrant and side
    against: list[list[Count]]  # by entrant and opponent; a game counts once for each side of the entrant
    line_ups: list[Blocks]  # the completed blocks
    running: list[int]  # shares of wins in the unfinished block
    lengths: dict[int, int]

    @classmethod
    def begun(
        cls,
        names: Sequence[str],
        bots: Sequence[str],
        teams: Sequence[Sequence[int]],
        line_ups: Sequence[Sequence[int]],
        seed: str,
        *,
        anchor: int | None = None,
        half_width: float = 0.0,
    ) -> Self:
        """Return standings that contain no games.

        `teams` contains the seats of each side. `line_ups` contains the combinations of entrants that play in a round.
        `anchor` is the index of the entrant with rating 0.
        """
        entrants, nothing = len(names), [0] * len(names)
        return cls(
            list(names),
            list(bots),
            [list(team) for team in teams],
            seed,
            anchor,
            half_width,
            [[Count() for _ in teams] for _ in names],
            [[Count() for _ in names] for _ in names],
            [Blocks(list(line_up), list(nothing), [list(nothing) for _ in range(entrants)]) for line_up in line_ups],
            list(nothing),
            {},
        )

    def played(self, line: GameResult) -> None:
        """Add the result of one game. Results must be added in the order of the games."""
        if self.games >= self.look and self._whole():
            self.look = max(self.games + 1, ceil(self.look * NEXT_LOOK))
        present = set(line.bots)
        for side, (seat, *_) in enumerate(self.teams):
            entrant, reward = line.bots[seat], line.rewards[seat]
            points = line.points[seat] if line.points else None
            self.counts[entrant][side].add(reward, points)
            self.running[entrant] += round(reward * SHARES)
            for other in present - {entrant}:
                self.against[entrant][other].add(reward, points)
        self.games += 1
        if self.games % len(self.teams) == 0:
            self.line_ups[line.deal % len(self.line_ups)].close(self.running)
            self.running = [0] * len(self.names)
        self.lengths[line.plies] = self.lengths.get(line.plies, 0) + 1
        self.count_forfeit(line)

    def enough(self) -> bool:
        """Return whether the tournament can end early because every rating is precise enough.

        The precision is checked only at the end of some rounds. At all other times, return False.
        """
        if not self.half_width or self.games < self.look or not self._whole():
            return False
        return all(rating.half_width() <= self.half_width for rating in self.ratings().of)

    def ratings(self) -> Ratings:
        """Return the ratings computed from all completed blocks."""
        return Ratings(self._meetings(), len(self.names), self.anchor)

    def summary(self) -> dict[str, Any]:
        """Return the standings as plain JSON."""
        ratings, meetings = self.ratings(), self._meetings()
        return {
            "kind": "tournament",
            "seed": self.seed,
            "games": self.games,
            "rounds": self.games // self._round(),
            "zero": [self.names[entrant] for entrant in ratings.zero],
            "entrants": [self._entrant_summary(entrant, ratings, meetings) for entrant in range(len(self.names))],
            "by_seat": self._by_seat([summed(row[side] for row in self.counts) for side in range(len(self.teams))]),
            "plies": summarize_lengths(self.lengths),
        }

    def _round(self) -> int:
        return len(self.teams) * len(self.line_ups)

    def _whole(self) -> bool:
        return self.games % self._round() == 0

    def _meetings(self) -> list[Meeting]:
        return [line_up.meeting(len(self.names)) for line_up in self.line_ups]

    def _entrant_summary(self, entrant: int, ratings: Ratings, meetings: Sequence[Meeting]) -> dict[str, Any]:
        mine = round(ratings.of[entrant].elo, RATING_DIGITS)
        return {
            "name": self.names[entrant],
            "bot": self.bots[entrant],
            "place": 1 + sum(round(rating.elo, RATING_DIGITS) > mine for rating in ratings.of),
            "rating": _rating_summary(ratings.of[entrant]),
            **summed(self.counts[entrant]).summary(),
            "by_seat": self._by_seat(self.counts[entrant]),
            "against": [
                {
                    "name": self.names[other],
                    **self.against[entrant][other].summary(),
                    "expected_score": _expected(entrant, other, ratings, meetings),
                }
                for other in range(len(self.names))
                if other != entrant
            ],
            **self.forfeits_of(entrant),
        }

    def _by_seat(self, counts: Sequence[Count]) -> list[dict[str, Any]]:
        """Return the results by seat. `counts` has one item for each team.

        All seats of a team have equal results, because they win together.
        """
        sides = {seat: side for side, team in enumerate(self.teams) for seat in team}
        return [{"seat": seat, **counts[sides[seat]].summary()} for seat in sorted(sides)]


def _rating_summary(rating: EloRating) -> dict[str, Any]:
    ends = [None if end is None else round(end, RATING_DIGITS) for end in (rating.low, rating.high)]
    ratio = None if rating.ratio is None else round(rating.ratio, 4)
    return {"elo": round(rating.elo, RATING_DIGITS), "interval": ends, "variance_ratio": ratio}


def _expected(entrant: int, other: int, ratings: Ratings, meetings: Sequence[Meeting]) -> float | None:
    # The expected score is a mean over the completed blocks with both entrants.
    sides, share = 0.0, 0.0
    for meeting in meetings:
        if meeting.sides[entrant] and meeting.sides[other]:
            sides += meeting.games * meeting.sides[entrant]
            share += meeting.games * ratings.expected(meeting)[entrant]
    return round(share / sides, 6) if sides else None
