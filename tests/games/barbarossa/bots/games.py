"""Whole games between bots, and views to ask them in."""

from collections.abc import Iterator
from dataclasses import dataclass

from games.barbarossa.bots.adviser import Adviser
from games.barbarossa.bots.skills import SKILLS, Skill
from games.barbarossa.observation import view
from games.barbarossa.options import WizardOptions, table_options
from games.barbarossa.table.hall import Hall, new_hall
from games.barbarossa.view import WizardView
from games.core.bits import members_of
from games.core.dice import FastDice

MEDIUM = SKILLS["medium"]


@dataclass
class Decision:
    """A seat that decides at a table, and its bot's choice."""

    hall: Hall
    seat: int
    seen: WizardView
    adviser: Adviser
    seed: int


def decisions(seats: int, options: WizardOptions, seed: int, skill: Skill = MEDIUM) -> Iterator[Decision]:
    """Play a game and yield every decision before it is made; which seat of several comes first is drawn."""
    dice = FastDice(seed)
    hall = new_hall(seats, table_options(options), dice)
    while actors := members_of(hall.actors()):
        seat = int(actors[dice.below(len(actors), 0)])
        seen = view(hall, seat, "x")
        adviser = Adviser(seen, skill, seed + hall.ply)
        yield Decision(hall, seat, seen, adviser, seed + hall.ply)
        hall.apply(seat, adviser.best(), dice, None)


def play_to_end(seats: int, options: WizardOptions, seed: int, skill: Skill = MEDIUM) -> Hall:
    return [decision.hall for decision in decisions(seats, options, seed, skill)][-1]
