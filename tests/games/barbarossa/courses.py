"""Random games of Barbarossa that contain all kinds of moves."""

from games.barbarossa.table.codes import ATTEMPT, CURSE_ATTEMPT, kind_of, riddle_of, what_of
from games.barbarossa.table.hall import Hall
from games.core.dice import FastDice


def chosen(hall: Hall, seat: int, dice: FastDice) -> int:
    """Return a legal move: kinds are as likely as each other, and attempts are often right."""
    codes = [int(code) for code in hall.legal(seat)]
    kinds = sorted({int(kind_of(code)) for code in codes})
    kind = kinds[dice.below(len(kinds), 0)]
    of_kind = [code for code in codes if kind_of(code) == kind]
    if kind in {ATTEMPT, CURSE_ATTEMPT} and dice.below(2, 0):
        of_kind = [code for code in of_kind if hall.riddle(riddle_of(code)).term == what_of(code)]
    return of_kind[dice.below(len(of_kind), 0)]
