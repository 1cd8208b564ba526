"""The rules of Barbarossa a second time, slowly and plainly, from the rulebook alone, on the record of a table.

It reads and changes written records as JSON, and uses no code of the games package except the list of terms. If the
rulebook is silent it follows the decisions of RULES.md.
"""

from collections.abc import Iterator
from functools import cache
from typing import Any, Final

from games.barbarossa.terms.answers import cells
from games.barbarossa.terms.catalogue import ATTRIBUTES, TERMS
from games.barbarossa.terms.words import letters

Move = dict[str, Any]
"""A move as the wire has it."""

Hall = dict[str, Any]
"""A table written down in full, as JSON has it."""

ANSWERS: Final = ["no", "yes", "perhaps", "unclear"]
QUESTIONS: Final = [attribute.id for attribute in ATTRIBUTES]
NAMES: Final = [term.id for term in TERMS]
PLACES: Final = [*range(1, 25), *range(-1, -25, -1)]
MODELLERS_TABLE: Final = [-2, -2, -1, -1, 1, 1, 2, 2, 2, 1, -1, -1, -2]
WINDOWS: Final = {"moving", "first_round", "dwarf_letter"}
OPEN: Final = {"model_riddles", "ask_freely"}
CELLS: Final = cells()


def true_answer(term: str, question: str) -> str:
    """Return the list's answer (BR-29, BR-30, BR-D33)."""
    return ANSWERS[CELLS[NAMES.index(term) * len(QUESTIONS) + QUESTIONS.index(question)]]


@cache
def close_to(term: str) -> frozenset[str]:
    return frozenset(other for other in NAMES if are_close(term, other))


@cache
def true_of(term: str) -> frozenset[str]:
    return frozenset(question for question in QUESTIONS if true_answer(term, question) == "yes")


@cache
def are_close(one: str, other: str) -> bool:
    """Return whether two terms share a yes for at least 60 of 100 questions that one of them answers with yes.

    BR-D39.
    """
    mine, theirs = true_of(one), true_of(other)
    return one != other and 100 * len(mine & theirs) >= 60 * len(mine | theirs)


def letter(term: int, place: int, language: str) -> str | None:
    """Return the letter at a place of a term's name, 1 the first and -1 the last; None if there is none.

    BR-51, BR-D14.
    """
    word = letters(term, language)
    return word[place - 1 if place > 0 else place] if abs(place) <= len(word) else None


def letter_at(hall: Hall, number: int, place: int) -> str | None:
    """Return a letter of a riddle's word, None if there is none (BR-D11, BR-D12)."""
    return letter(NAMES.index(hall["riddles"][number]["term"]), place, hall["options"]["language"])


def modeller(hall: Hall, number: int) -> int:
    return number // (len(hall["riddles"]) // len(hall["wizards"]))


def askable(hall: Hall, seat: int) -> list[int]:
    """Return the riddles of others that can still be solved by somebody (BR-42, BR-D8)."""
    return [
        number
        for number, riddle in enumerate(hall["riddles"])
        if modeller(hall, number) != seat and len(riddle["solvers"]) < 2
    ]


def unsolved(hall: Hall, seat: int) -> list[int]:
    """Return those of them that the seat has not solved (BR-D9)."""
    return [number for number in askable(hall, seat) if seat not in hall["riddles"][number]["solvers"]]


def sheet(hall: Hall, number: int, seat: int) -> Any:
    (found,) = (kept for kept in hall["riddles"][number]["sheets"] if kept["seat"] == seat)
    return found


def may_curse(hall: Hall, seat: int) -> bool:
    """Return whether a seat may interrupt the game (BR-52, BR-56, BR-58, BR-D15)."""
    return (
        hall["phase"] in WINDOWS
        and hall["wizards"][seat]["curses"] > 0
        and seat not in hall["silent"]
        and bool(unsolved(hall, seat))
    )


# Legal moves.


def moves(hall: Hall, seat: int) -> Iterator[Move]:
    """Yield every legal move of a seat but those with content of its own (BR-20, BR-D17)."""
    if hall["phase"] in {"answering", "giving", "judging"}:
        if modeller(hall, hall["pending"]["riddle"]) == seat:
            yield from owed(hall)
        return
    if hall["phase"] in {"modelling", "over"}:
        return
    if hall["turn"] == seat:
        yield from of_the_turn(hall, seat)
    elif may_curse(hall, seat):
        yield {"kind": "hold_back"}
    if may_curse(hall, seat):
        yield from letters_of(hall, seat, "curse_for_letter")
        yield from attempts_of(hall, seat, "curse_to_attempt")


def owed(hall: Hall) -> Iterator[Move]:
    """Yield a modeller's possible answers to the open question (BR-29, BR-30, BR-37, BR-50, BR-D40)."""
    pending = hall["pending"]
    if hall["phase"] == "giving":
        known = sheet(hall, pending["riddle"], pending["asker"])["places"]
        for place in PLACES:
            if place > 0 and place not in known and letter_at(hall, pending["riddle"], place):
                yield {"kind": "give_letter", "place": place}
        return
    if hall["phase"] == "judging":
        if hall["options"]["close_hints"]:
            yield {"kind": "judge_attempt", "verdict": "close"}
        yield {"kind": "judge_attempt", "verdict": "wrong"}
        return
    for given in ANSWERS:
        against = False
        if pending["question"] and hall["options"]["answers"] == "human_checked":
            true = true_answer(hall["riddles"][pending["riddle"]]["term"], pending["question"])
            against = {true, given} == {"no", "yes"}
        yield {"kind": "answer_question", "answer": given, "insist": against}
    if pending["question"] is None:
        yield {"kind": "reject_question"}


def of_the_turn(hall: Hall, seat: int) -> Iterator[Move]:
    """Yield the legal moves of the turn's owner (BR-22 to BR-27, BR-33, BR-49, BR-D5, BR-D21)."""
    phase, options = hall["phase"], hall["options"]
    if phase == "moving":
        yield {"kind": "roll_die"}
        for stones in range(1, hall["wizards"][seat]["stones"] + 1):
            yield {"kind": "spend_stones", "stones": stones}
    elif phase == "dwarf_letter":
        yield {"kind": "forgo_letter"}
        yield from letters_of(hall, seat, "ask_letter")
    else:
        yield {"kind": "end_asking"}
        if options["questions"] != "free" and hall["questions"] < options["question_cap"]:
            for number in askable(hall, seat):
                for question in QUESTIONS:
                    if question not in hall["riddles"][number]["asked"]:
                        yield {"kind": "ask_about", "riddle": number, "question": question}
        if phase == "second_round":
            yield from attempts_of(hall, seat, "attempt_riddle")
            if options["simple"] and hall["questions"] == 0:
                yield from letters_of(hall, seat, "ask_letter")


def letters_of(hall: Hall, seat: int, kind: str) -> Iterator[Move]:
    """Yield the letters that a seat may ask for (BR-49, BR-D11, BR-D13)."""
    for number in unsolved(hall, seat):
        if hall["options"]["letter"] == "modeller":
            yield {"kind": kind, "riddle": number, "place": None}
            continue
        for place in PLACES:
            if place not in sheet(hall, number, seat)["places"]:
                yield {"kind": kind, "riddle": number, "place": place}


def attempts_of(hall: Hall, seat: int, kind: str) -> Iterator[Move]:
    """Yield the attempts that a seat may make (BR-36, BR-D13, BR-D37)."""
    for number in unsolved(hall, seat):
        tried = sheet(hall, number, seat)
        for term in NAMES:
            if term not in tried["wrong"] and term not in tried["close"]:
                yield {"kind": kind, "riddle": number, "guess": term}


# Effects.


def make(hall: Hall, seat: int, move: Move, outcomes: list[Any], pieces: list[Any]) -> None:
    """Make a move (BR-20, BR-D19); `pieces` are the table's kneaded ones, if any."""
    if move["kind"] == "hold_back":
        hall["silent"] = sorted({*hall["silent"], seat})
        return
    hall["ply"] += 1
    hall["silent"] = []
    kind, wizard = move["kind"], hall["wizards"][seat]
    if kind == "model_riddles":
        model(hall, seat, move, pieces)
    elif kind == "roll_die":
        walk(hall, seat, outcomes[0])
    elif kind == "spend_stones":
        wizard["stones"] -= move["stones"]
        walk(hall, seat, move["stones"])
    elif kind in {"ask_about", "ask_freely"}:
        ask(hall, seat, move)
    elif kind == "answer_question":
        hear(hall, move["answer"])
    elif kind == "reject_question":
        hall["free_questions"][-1]["said"] = "rejected"
        resume(hall)
    elif kind in {"end_asking", "forgo_letter"}:
        end_round(hall)
    elif kind == "give_letter":
        show(hall, move["place"])
    elif kind == "judge_attempt":
        pending = hall["pending"]
        resume(hall)
        rule(hall, pending["asker"], pending["riddle"], pending["guess"], move["verdict"])
        end_turn(hall) if pending["closing"] else go_on(hall)
    else:
        try_or_spell(hall, seat, move)


def try_or_spell(hall: Hall, seat: int, move: Move) -> None:
    """Attempt a riddle or ask for a letter of it, in turn or by a curse (BR-53, BR-54)."""
    cursed = move["kind"].startswith("curse")
    hall["wizards"][seat]["curses"] -= cursed
    if "guess" not in move:
        ask_letter(hall, seat, move)
        return
    if not attempt(hall, seat, move, cursed=cursed):
        return
    go_on(hall) if cursed else end_turn(hall)


def model(hall: Hall, seat: int, move: Move, pieces: list[Any]) -> None:
    """Hand riddles in (BR-12, BR-D41, BR-D43)."""
    own = [number for number in range(len(hall["riddles"])) if modeller(hall, number) == seat]
    for number, sketch, piece in zip(own, move["riddles"], pieces, strict=True):
        hall["riddles"][number]["term"] = sketch["term"]
        hall["riddles"][number]["piece"] = piece if sketch["piece"]["format"] == "kneaded" else sketch["piece"]
    if all(riddle["term"] for riddle in hall["riddles"]):
        hall["phase"] = "moving"


def walk(hall: Hall, seat: int, steps: int) -> None:
    """Walk, and do what the cave says (BR-21 to BR-23, BR-45 to BR-49)."""
    wizard = hall["wizards"][seat]
    wizard["cave"] = (wizard["cave"] + steps) % 12
    kind = hall["options"]["ring"][wizard["cave"]]
    if kind == "riddle":
        begin(hall, "first_round")
    elif kind == "dwarf":
        hall["phase"] = "dwarf_letter"
    elif kind == "elf":
        wizard["stones"] = min(13, wizard["stones"] + 1)
        end_turn(hall)
    else:
        for other in hall["wizards"]:
            if other["seat"] != seat:
                climb(hall, other["seat"], {"dragon": 1, "ghost": 2}[kind])
        there = at_goal(hall)
        if there:
            best = max(hall["wizards"][other]["hat"] for other in there)
            end(hall, [other for other in there if hall["wizards"][other]["hat"] == best])
        end_turn(hall)
    go_on(hall)


def ask(hall: Hall, seat: int, move: Move) -> None:
    """Handle a question; the list answers if it can (BR-27, BR-28, BR-D31, BR-D33)."""
    hall["questions"] += 1
    question = move.get("question")
    hall["pending"] = {
        "asker": seat,
        "riddle": move["riddle"],
        "question": question,
        "guess": None,
        "interrupted": hall["phase"],
        "closing": False,
    }
    hall["phase"] = "answering"
    riddle = hall["riddles"][move["riddle"]]
    if question is None:
        told = {"seat": seat, "riddle": move["riddle"], "text": move["text"], "said": "waiting"}
        hall["free_questions"].append(told)
        return
    riddle["asked"] = in_order({*riddle["asked"], question}, QUESTIONS)
    if hall["options"]["answers"] == "auto":
        hear(hall, true_answer(riddle["term"], question))


def hear(hall: Hall, given: str) -> None:
    """Take an answer (BR-32, BR-34, BR-D6)."""
    question, riddle = hall["pending"]["question"], hall["riddles"][hall["pending"]["riddle"]]
    if question is None:
        hall["free_questions"][-1]["said"] = given
    else:
        riddle["answers"][given] = in_order({*riddle["answers"][given], question}, QUESTIONS)
    resume(hall)
    if given == "no":
        end_round(hall)


def ask_letter(hall: Hall, seat: int, move: Move) -> None:
    """Handle a request for a letter, which the modeller may have to choose (BR-50, BR-D40)."""
    number = move["riddle"]
    hall["pending"] = {
        "asker": seat,
        "riddle": number,
        "question": None,
        "guess": None,
        "interrupted": hall["phase"],
        "closing": move["kind"] == "ask_letter",
    }
    known = sheet(hall, number, seat)["places"]
    left = [place for place in PLACES if place > 0 and place not in known and letter_at(hall, number, place)]
    if move["place"] is None and left:
        hall["phase"] = "giving"
    else:
        show(hall, move["place"])


def show(hall: Hall, place: int | None) -> None:
    """Note that a letter was shown, and go on (BR-50)."""
    pending = hall["pending"]
    kept = sheet(hall, pending["riddle"], pending["asker"])
    if place is not None:
        kept["places"] = in_order({*kept["places"], place}, PLACES)
    resume(hall)
    end_turn(hall) if pending["closing"] else go_on(hall)


def attempt(hall: Hall, seat: int, move: Move, *, cursed: bool) -> bool:
    """Try a term at a riddle; return whether it has been ruled on, and does not wait for its modeller.

    BR-36, BR-37, BR-D10.
    """
    number, guess = move["riddle"], move["guess"]
    riddle = hall["riddles"][number]
    verdict = "right" if guess == riddle["term"] else "wrong"
    if verdict == "wrong" and hall["options"]["judging"] == "modeller":
        hall["pending"] = {
            "asker": seat,
            "riddle": number,
            "question": None,
            "guess": guess,
            "interrupted": hall["phase"],
            "closing": not cursed,
        }
        hall["phase"] = "judging"
        return False
    if verdict == "wrong" and hall["options"]["close_hints"] and are_close(riddle["term"], guess):
        verdict = "close"
    rule(hall, seat, number, guess, verdict)
    return True


def rule(hall: Hall, seat: int, number: int, guess: str, verdict: str) -> None:
    """Write a verdict down, and move hats if it is right (BR-38 to BR-44, BR-D25)."""
    riddle, tried = hall["riddles"][number], sheet(hall, number, seat)
    if verdict != "right":
        tried[verdict] = in_order({*tried[verdict], guess}, NAMES)
        return
    climb(hall, seat, 3 if riddle["solvers"] else 5)
    riddle["solvers"] = sorted([*riddle["solvers"], seat])
    if at_goal(hall):
        end(hall, [seat])
        return
    spears = sum(len(other["solvers"]) for other in hall["riddles"])
    climb(hall, modeller(hall, number), MODELLERS_TABLE[spears - 1])
    if at_goal(hall):
        end(hall, [modeller(hall, number)])
    elif spears == 13:
        punish(hall)


# How it goes on.


def begin(hall: Hall, phase: str) -> None:
    """Begin a round, or a turn, in which nothing was asked."""
    hall["phase"] = phase
    hall["questions"] = 0
    for riddle in hall["riddles"]:
        riddle["asked"] = []


def resume(hall: Hall) -> None:
    """Go back to the state that a question or a letter has interrupted (BR-55, BR-D20)."""
    hall["phase"] = hall["pending"]["interrupted"]
    hall["pending"] = None


def go_on(hall: Hall) -> None:
    """End a turn in which nothing is left to do (BR-25, BR-D22)."""
    rounds = hall["phase"] in {"first_round", "second_round"}
    if (rounds and not askable(hall, hall["turn"])) or (
        hall["phase"] == "dwarf_letter" and not unsolved(hall, hall["turn"])
    ):
        end_turn(hall)


def end_round(hall: Hall) -> None:
    """Begin the second round, or end the turn (BR-32, BR-34)."""
    if hall["phase"] == "first_round":
        begin(hall, "second_round")
    else:
        end_turn(hall)


def end_turn(hall: Hall) -> None:
    """Pass the turn on (BR-25, BR-D45)."""
    if hall["phase"] == "over":
        return
    begin(hall, "moving")
    hall["turn"] = (hall["turn"] + 1) % len(hall["wizards"])
    hall["turns"] += 1
    if hall["turns"] == hall["options"]["turn_cap"]:
        punish(hall)


def climb(hall: Hall, seat: int, steps: int) -> None:
    """Move a hat (BR-63, BR-D24)."""
    wizard, floor = hall["wizards"][seat], hall["options"]["floor"]
    wizard["hat"] += steps
    if floor is not None:
        wizard["hat"] = max(floor, wizard["hat"])


def at_goal(hall: Hall) -> list[int]:
    """Return the seats whose hats have arrived (BR-63, BR-D26)."""
    return [wizard["seat"] for wizard in hall["wizards"] if wizard["hat"] >= hall["options"]["goal"]]


def punish(hall: Hall) -> None:
    """Move hats back for unsolved riddles, and end the game (BR-60, BR-61, BR-D27)."""
    for number, riddle in enumerate(hall["riddles"]):
        hall["wizards"][modeller(hall, number)]["hat"] -= [5, 2, 0][len(riddle["solvers"])]
    best = max(wizard["hat"] for wizard in hall["wizards"])
    end(hall, [wizard["seat"] for wizard in hall["wizards"] if wizard["hat"] == best])


def end(hall: Hall, winners: list[int]) -> None:
    """End the game (BR-59, BR-62)."""
    hall["phase"] = "over"
    hall["winners"] = winners


def in_order(found: set[Any], order: list[Any]) -> list[Any]:
    return sorted(found, key=order.index)
