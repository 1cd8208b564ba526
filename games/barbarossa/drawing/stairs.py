"""The stairs with the hats on them, from behind START to the golden key at the goal."""

from __future__ import annotations

from typing import Final

from games.barbarossa.drawing.style import hat, use
from games.barbarossa.speech import signed
from games.barbarossa.view import WizardView
from games.core.svg import MIN_TEXT_SIZE, element, number, text, title
from games.core.texts import Texts

STAIRS_WIDTH: Final = 696
STAIRS_HEIGHT: Final = 268

FOOT: Final = 224
RISE: Final = 120
"""Position of the lowest step, and height of the stairs."""

LANDING: Final = 3
"""Width of the goal in steps."""

BEHIND: Final = 12
"""Maximum number of steps behind START; a hat farther back stands on the last of them."""

PILE: Final = 12
"""Height of a hat on another."""


def stairs(view: WizardView, language: str, texts: Texts) -> str:
    """Draw the steps, the goal and the hats; hats on one step stand on each other (BR-2, BR-8, BR-D24, BR-D29)."""
    goal = view.options.goal
    lowest = lowest_step(view)
    count = goal - lowest + LANDING
    wide = (STAIRS_WIDTH - 40) / count
    rise = RISE / (goal - lowest)

    def middle(step: int) -> float:
        return 20 + wide * (step - lowest + (LANDING / 2 if step == goal else 0.5))

    def level(step: int) -> float:
        return FOOT - rise * (step - lowest)

    drawn = [element("rect", width=STAIRS_WIDTH, height=STAIRS_HEIGHT, rx=18, class_="br-panel")]
    for step in range(lowest, goal + 1):
        left, right = 20 + wide * (step - lowest), 20 + wide * (step - lowest + (LANDING if step == goal else 1))
        outline = f"M{number(left)} 236V{number(level(step))}H{number(right)}V236Z"
        drawn.append(element("path", d=outline, class_="br-step"))
        if step % 5 == 0 or step == goal:
            written = "START" if step == 0 else str(step).replace("-", "−")  # noqa: RUF001 -- a true minus
            drawn.append(text(written, middle(step), 259, "br-mid br-bold", font_size=MIN_TEXT_SIZE))
    drawn.append(
        use("key", middle(goal), level(goal) - 62, scale=1.25, told=texts.sections[language]["picture"]["goal"])
    )
    names = texts.seats(language, view.seats)
    below: dict[int, int] = {}
    for wizard in sorted(view.wizards, key=lambda wizard: (wizard.hat, wizard.seat)):
        step = min(goal, max(lowest, wizard.hat))
        told = f"{names[wizard.seat]}: {texts.say(language, 'picture', 'step', hat=signed(wizard.hat))}"
        drawn.append(hat(wizard.seat, middle(step), level(step) - PILE * below.get(step, 0), told=told))
        below[step] = below.get(step, 0) + 1
    return element("g", title(texts.sections[language]["picture"]["stairs"]), *drawn)


def lowest_step(view: WizardView) -> int:
    """Return the lowest step that is shown: the floor, or one below the last hat."""
    if view.options.floor is not None:
        return max(-BEHIND, view.options.floor)
    return max(-BEHIND, min(-2, min(wizard.hat for wizard in view.wizards) - 1))
