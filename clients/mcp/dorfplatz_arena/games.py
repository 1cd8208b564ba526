"""The games of an arena: those of a tournament, with requests to agents, counts of illegal moves, and ratings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from threading import Lock
from typing import Any, Final

import msgspec

from dorfplatz_arena.agents import Agent, GoneError, Question
from games.search.advise import Tick, seed_of
from games.search.views import imagined_table
from service.jobs.players import Player, RemoteBot
from service.jobs.review import accuracy_of, verdict_on
from workers.review import REVIEW_DIGITS, SeatCount, compare
from workers.simulate.batch import Decision, ForfeitedError
from workers.simulate.remote import ILLEGAL, TIMEOUT, UNREACHABLE, RemoteGames, Sender
from workers.simulate.tally import Forfeit, GameResult
from workers.simulate.tournament import TournamentPlan

FORCED: Final = "forced"
OWN_CONTENT: Final = "own_content"


class RatedDecision(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A decision: the game, the number of earlier moves, the entrant and seat, and its regret.

    `skipped` is the reason why it is not rated: there was no choice, or the move has content of the player's own.
    """

    game: int
    ply: int
    seat: int
    entrant: str
    code: int
    regret: float | None = None
    interval: tuple[float, float] | None = None
    verdict: str | None = None
    skipped: str | None = None


class ArenaGames(RemoteGames):
    """Plays a tournament between agents and levels.

    `tries` is the number of illegal moves that lose a game. `iterations` is the effort to rate each decision, 0 for
    none.
    """

    def __init__(
        self,
        plan: TournamentPlan,
        agents: Mapping[RemoteBot, Agent],
        sender: Sender,
        *,
        tries: int = 1,
        iterations: int = 0,
        listed: bool = True,
    ) -> None:
        super().__init__(plan, sender)
        self._names: Final = plan.names
        self._agents: Final = agents
        self._tries: Final = tries
        self._iterations: Final = iterations
        self._listed: Final = listed
        self._counting: Final = Lock()
        self.illegal: Counter[tuple[str, str]] = Counter()
        """The number of illegal moves of each entrant by rule."""
        self.decisions: list[RatedDecision] = []
        self.played = 0

    def play(self, number: int, tick: Tick | None = None) -> GameResult:
        """Play one game, and count it."""
        result = super().play(number, tick)
        with self._counting:
            self.played += 1
        return result

    def choose(self, bot: Player, decision: Decision, seed: int, look_up: Tick) -> int:
        """Return the code of an entrant's move, and rate it from the seat's knowledge."""
        code = super().choose(bot, decision, seed, look_up)
        if self._iterations:
            with self._thinking:
                self.decisions.append(self._rate(decision, code))
        return code

    def answer(self, bot: RemoteBot, decision: Decision) -> int:
        """Return an agent's move, after several tries if necessary; raise ForfeitedError."""
        refused: Forfeit | None = None
        for attempt in range(self._tries):
            data = self._data(bot, decision, refused)
            question = Question(data, bot.deadline_ms / 1000, self._explainer(decision), attempt + 1 == self._tries)
            try:
                answer = self._asked(bot, decision, question, attempt)
                self.read(beside(decision), answer)
            except ForfeitedError as out:
                refused = out.forfeit
                self._settle(bot, question, refused)
                if refused.cause == ILLEGAL:
                    with self._counting:
                        self.illegal[self._entrant(decision), refused.rule] += 1
                if refused.cause != ILLEGAL or question.last:
                    raise
            else:
                self._settle(bot, question, None)
                return self.read(decision, answer)
        raise AssertionError

    def _data(self, bot: RemoteBot, decision: Decision, refused: Forfeit | None) -> dict[str, Any]:
        data = self.question(bot, decision)
        if not self._listed:
            del data["legal_moves"]
        return data if refused is None else {**data, "refused": {"rule": refused.rule, "detail": refused.detail}}

    def _asked(self, bot: RemoteBot, decision: Decision, question: Question, attempt: int) -> bytes:
        if bot not in self._agents:
            return self.ask(bot, decision, question.data, attempt)
        try:
            return self._agents[bot].ask(question)
        except TimeoutError:
            raise ForfeitedError(Forfeit(decision.seat, TIMEOUT)) from None
        except GoneError as gone:
            raise ForfeitedError(Forfeit(decision.seat, UNREACHABLE, detail=str(gone))) from None

    def _settle(self, bot: RemoteBot, question: Question, refused: Forfeit | None) -> None:
        if bot in self._agents:
            self._agents[bot].settle(question, refused)

    def _explainer(self, decision: Decision) -> Callable[[Any], Forfeit | None]:
        def explain(said: Any) -> Forfeit | None:
            try:
                self.read(beside(decision), msgspec.json.encode(said))
            except ForfeitedError as out:
                return out.forfeit
            return None

        return explain

    def _entrant(self, decision: Decision) -> str:
        return self._names[self.plan.seating(decision.game)[1][decision.seat]]

    def _rate(self, decision: Decision, code: int) -> RatedDecision:
        """Rate a decision as a review does, only from the view of its seat and with its own chance."""
        game, table, seat = self.plan.game, decision.table, decision.seat
        entrant = self._entrant(decision)
        bare = RatedDecision(game=decision.game, ply=table.ply, seat=seat, entrant=entrant, code=code)
        if len(game.legal(table, seat)) == 1:
            return msgspec.structs.replace(bare, skipped=FORCED)
        if game.brings_content(game.decode(table, code)):
            return msgspec.structs.replace(bare, skipped=OWN_CONTENT)
        view = game.view(table, seat)
        seed = seed_of("review", self.plan.seed, msgspec.json.encode(view).decode())
        compared = compare(game, imagined_table(game, view, seed), view, code, self._iterations, seed)
        regret = round(max(0.0, compared.lost), REVIEW_DIGITS)
        low, high = (
            round(min(1.0, max(0.0, compared.lost + side * compared.margin)), REVIEW_DIGITS) for side in (-1, 1)
        )
        return msgspec.structs.replace(bare, regret=regret, interval=(low, high), verdict=verdict_on(regret))


def beside(decision: Decision) -> Decision:
    """Return a decision at a copy of its table, on which a check may place a move's content."""
    return Decision(decision.game, decision.table.clone(), decision.seat)


def summary_of(decisions: list[RatedDecision]) -> dict[str, Any]:
    """Return the quality of an entrant's decisions as plain JSON; means are null without rated ones."""
    count, regrets = SeatCount(), [row.regret for row in decisions if row.regret is not None]
    for regret in regrets:
        count.decisions += 1
        count.accuracy += accuracy_of(regret)
        count.regret += regret
        count.mistakes += verdict_on(regret) == "mistake"
        count.blunders += verdict_on(regret) == "blunder"
    rated = max(1, count.decisions)
    return {
        "decisions": count.decisions,
        FORCED: sum(row.skipped == FORCED for row in decisions),
        OWN_CONTENT: sum(row.skipped == OWN_CONTENT for row in decisions),
        "accuracy": round(count.accuracy / rated, REVIEW_DIGITS) if regrets else None,
        "mean_regret": round(count.regret / rated, REVIEW_DIGITS) if regrets else None,
        "mistakes": count.mistakes,
        "blunders": count.blunders,
    }


def play_arena(games: ArenaGames, plan: TournamentPlan, beat: Callable[[], None] = lambda: None) -> dict[str, Any]:
    """Play all games and return the standings, with each entrant's illegal moves and regret, as plain JSON."""
    standings = plan.tally()
    for line in games.play_some(0, plan.games, float("inf"), beat):
        standings.add(line)
    found = standings.summary()
    games.decisions.sort(key=lambda row: (row.game, row.ply, row.seat))
    for entrant in found["entrants"]:
        name = entrant["name"]
        illegal = sorted(
            ((rule, n) for (who, rule), n in games.illegal.items() if who == name), key=lambda each: -each[1]
        )
        entrant["illegal_moves"] = [{**({"rule": rule} if rule else {}), "moves": number} for rule, number in illegal]
        mine = [row for row in games.decisions if row.entrant == name]
        if mine:
            entrant["regret"] = summary_of(mine)
    return {**found, "kind": "arena", "game": plan.game.slug, "ruleset": plan.game.ruleset}
