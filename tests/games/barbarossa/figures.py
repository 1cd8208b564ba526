"""Figures of bots at Barbarossa: `python -m tests.games.barbarossa.figures games|plainness|ladder`.

They print rows of the tables in `docs/games/barbarossa.md`. Game k of a number of seats depends on k alone.
"""

import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from math import sqrt
from statistics import fmean, quantiles, stdev

import click

from games.barbarossa.bots.adviser import Adviser
from games.barbarossa.bots.mind import Mind
from games.barbarossa.bots.skills import SKILLS, Skill
from games.barbarossa.observation import view
from games.barbarossa.options import WizardOptions, table_options
from games.barbarossa.table.codes import ASK, ATTEMPT, CURSE_ATTEMPT, explicitness_of, kind_of, riddle_of
from games.barbarossa.table.hall import Hall, new_hall
from games.barbarossa.table.phases import MODELLING, OVER
from games.barbarossa.table.stairs import at_goal, modellers_step
from games.barbarossa.view import WizardView
from games.core.bits import first
from games.core.dice import CHOICE, FastDice, SplitDice

GRAIN = 1_000_003
BINS = 5


@dataclass
class Played:
    """A game at its end, with the counts on the way."""

    hall: Hall
    decisions: int = 0
    questions: int = 0
    plain: list[int] = field(default_factory=list)  # of each riddle, in percent
    steps: list[int] = field(default_factory=list)  # by which each riddle has moved its modeller
    attempts: list[bool] = field(default_factory=list)
    curses: list[bool] = field(default_factory=list)
    beliefs: list[tuple[float, bool]] = field(default_factory=list)  # each chance of a term, and whether it is true


def play_game(skills: Sequence[Skill], deal: int, mind_of: Skill | None = None) -> Played:
    """Play a game; with `mind_of`, note every tenth time what a bot of that skill believes."""
    draws = SplitDice(deal)
    hall = new_hall(len(skills), table_options(WizardOptions()), draws)
    game = Played(hall, plain=[0] * int(hall.total()), steps=[0] * int(hall.total()))
    while hall.actors():
        seat = int(first(hall.actors()))
        seen = view(hall, seat, "")
        code = Adviser(seen, skills[seat], deal * GRAIN + hall.ply).best()
        game.decisions += 1
        if mind_of is not None and hall.phase != MODELLING and game.decisions % 10 == 0:
            note_beliefs(game, seen, seat, mind_of)
        make(game, seat, code, draws)
    return game


def make(game: Played, seat: int, code: int, draws: SplitDice) -> None:
    hall, kind = game.hall, kind_of(code)
    each, spears = int(hall.each()), int(hall.spears)
    if hall.phase == MODELLING:
        for index in range(each):
            game.plain[seat * each + index] = (explicitness_of(code, index) - 1) * 5
    game.questions += kind == ASK
    draws.seat = seat
    hall.apply(seat, code, draws, None)
    if kind in {ATTEMPT, CURSE_ATTEMPT}:
        (game.attempts if kind == ATTEMPT else game.curses).append(bool(hall.spears > spears))
        number = int(riddle_of(code))
        if hall.spears > spears and hall.player(seat).hat < hall.options.goal:  # else the game ended before (BR-D25)
            game.steps[number] += int(modellers_step(spears + 1))
    if hall.phase == OVER and not at_goal(hall):
        for number in range(hall.total()):
            game.steps[number] -= (5, 2, 0)[int(hall.riddle(number).spears())]


def note_beliefs(game: Played, seen: WizardView, seat: int, skill: Skill) -> None:
    """Record the chances of a bot's likeliest terms, and whether they are true."""
    for guessing in Mind(seen, seat, skill).guessings:
        term = guessing.belief.likeliest()
        game.beliefs.append((guessing.top, bool(game.hall.riddle(guessing.number).term == term)))


def share(part: float, whole: float) -> str:
    return f"{100 * part / whole:.0f} %" if whole else "-"


@click.group()
def main() -> None:
    """Play games between bots and print figures."""


@main.command("games")
@click.option("--seats", default=4, show_default=True)
@click.option("--level", default="medium", show_default=True, type=click.Choice(list(SKILLS)))
@click.option("--number", default=200, show_default=True)
def whole_games(seats: int, level: str, number: int) -> None:
    """Print the course of games between bots of one level, and the reliability of their beliefs."""
    skill = SKILLS[level]
    began = time.process_time()
    games = [play_game([skill] * seats, deal, skill) for deal in range(number)]
    seconds = time.process_time() - began
    turns = sorted(int(game.hall.turns) for game in games)
    lower, middle, upper = quantiles(turns, n=4)
    solved = sum(min(1, int(game.hall.riddle(n).spears())) for game in games for n in range(game.hall.total()))
    attempts = [right for game in games for right in game.attempts]
    curses = [right for game in games for right in game.curses]
    decisions = sum(game.decisions for game in games)
    rows = {
        "turns, mean": f"{fmean(turns):.1f}",
        "turns, median (middle half)": f"{middle:.0f} ({lower:.0f} to {upper:.0f})",
        "turns, 10 % to 90 %": f"{turns[number // 10]} to {turns[-1 - number // 10]}",
        "shorter, longer": f"{share(sum(n < 15 for n in turns), number)}, {share(sum(n > 30 for n in turns), number)}",
        "games of 15 to 30 turns": share(sum(15 <= each <= 30 for each in turns), number),
        "ended on the stairs": share(sum(bool(at_goal(game.hall)) for game in games), number),
        "ended by the thirteenth spear": share(
            sum(not at_goal(game.hall) and game.hall.spears == 13 for game in games), number
        ),
        "riddles solved at least once": share(solved, number * int(games[0].hall.total())),
        "spears, mean": f"{fmean(int(game.hall.spears) for game in games):.1f}",
        "questions a game": f"{fmean(game.questions for game in games):.0f}",
        "attempts a game, right": f"{len(attempts) / number:.1f}, {share(sum(attempts), len(attempts))}",
        "attempts by curse, right": f"{len(curses) / number:.1f}, {share(sum(curses), len(curses))}",
        "decisions a game": f"{decisions / number:.0f}",
        "CPU time a decision, all in all": f"{1000 * seconds / decisions:.2f} ms",
        "games a CPU second": f"{number / seconds:.1f}",
    }
    click.echo(f"{seats} seats, {level}, {number} games")
    for name, told in rows.items():
        click.echo(f"| {name} | {told} |")
    for low, believed in bins([pair for game in games for pair in game.beliefs]).items():
        said, true = fmean(chance for chance, _ in believed), fmean(right for _, right in believed)
        click.echo(f"| belief {low / BINS:.1f} to {(low + 1) / BINS:.1f} | {said:.2f} | {true:.2f} | {len(believed)} |")


def bins(beliefs: list[tuple[float, bool]]) -> dict[int, list[tuple[float, bool]]]:
    found: dict[int, list[tuple[float, bool]]] = defaultdict(list)
    for chance, right in beliefs:
        found[min(BINS - 1, int(chance * BINS))].append((chance, right))
    return dict(sorted(found.items()))


@main.command()
@click.option("--seats", default=4, show_default=True)
@click.option("--level", default="medium", show_default=True, type=click.Choice(list(SKILLS)))
@click.option("--number", default=400, show_default=True)
def plainness(seats: int, level: str, number: int) -> None:
    """Print a modeller's gain by the plainness of his riddles: every seat models at random."""
    skill = replace(SKILLS[level], plain=(0, 100))
    gained: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for deal in range(number):
        game = play_game([skill] * seats, deal)
        for riddle, (plain, steps) in enumerate(zip(game.plain, game.steps, strict=True)):
            gained[min(BINS - 1, plain * BINS // 100)].append((steps, int(game.hall.riddle(riddle).spears())))
    for low, found in sorted(gained.items()):
        moved, speared = [one for one, _ in found], [other for _, other in found]
        error = 1.96 * stdev(moved) / sqrt(len(moved))
        click.echo(
            f"| {low * 100 // BINS} to {(low + 1) * 100 // BINS} % | {fmean(moved):+.2f} ± {error:.2f} "
            f"| {fmean(speared):.2f} | {len(found)} |"
        )


@main.command()
@click.option("--seats", default=4, show_default=True)
@click.option("--deals", default=100, show_default=True)
def ladder(seats: int, deals: int) -> None:
    """Let one bot of each level play among bots of the level below, each deal once in every seat."""
    for lower, higher in pairwise(["random", *SKILLS]):
        units = [fmean(result(higher, lower, seats, seat, deal) for seat in range(seats)) for deal in range(deals)]
        error = 1.96 * stdev(units) / sqrt(deals)
        click.echo(f"| {higher} among {lower} | {100 * fmean(units):.1f} % ± {100 * error:.1f} | {deals * seats} |")


def result(higher: str, lower: str, seats: int, seat: int, deal: int) -> float:
    """Return a bot's result in a game among bots of the level below."""
    if lower == "random":
        return among_random(SKILLS[higher], seats, seat, deal)
    skills = [SKILLS[higher if other == seat else lower] for other in range(seats)]
    return float(play_game(skills, deal).hall.rewards()[seat])


def among_random(skill: Skill, seats: int, seat: int, deal: int) -> float:
    """Return a bot's result in a game among players who make any legal move."""
    draws, mind = SplitDice(deal), FastDice(deal)
    hall = new_hall(seats, table_options(WizardOptions()), draws)
    while hall.actors():
        asked = int(first(hall.actors()))
        if asked == seat:
            code = Adviser(view(hall, asked, ""), skill, deal * GRAIN + hall.ply).best()
        else:
            moves = hall.legal(asked)
            code = int(moves[mind.below(len(moves), CHOICE)])
        draws.seat = asked
        hall.apply(asked, code, draws, None)
    return float(hall.rewards()[seat])


if __name__ == "__main__":
    main()
