"""Draws the pictures of docs/games/barbarossa-clay.md: `python -m tests.games.barbarossa.clay.pictures`."""

from pathlib import Path
from typing import Final

from games.barbarossa.clay.check import share
from games.barbarossa.clay.drawing.camera import Camera
from games.barbarossa.clay.drawing.sculpture import SIDE, figure, picture
from games.barbarossa.clay.modeller import modelled
from games.barbarossa.clay.recipes.book import recipes
from games.core.dice import CHOICE, FastDice
from games.core.svg import element

FOLDER: Final = Path(__file__).parents[4] / "docs" / "pictures"
EXPLICITNESSES: Final = (0.2, 0.45, 0.7, 1.0)
HINTED: Final = ("f15", "j9")
"""The key and the arm, which the rulebook shows too vague, just right and too exact."""

SEED: Final = 5
CAMERA: Final = Camera.at(-25, 22)


def draw_pictures() -> dict[str, str]:
    key = recipes()["f15"].clay
    return {"clay-key.svg": picture(key, "#c8402f") + "\n", "clay-hints.svg": hints() + "\n"}


def hints() -> str:
    dice = FastDice(SEED)
    figures = [
        element(
            "g",
            figure(modelled(recipes()[term], explicitness, share(3), dice, CHOICE), "#f0c63f", CAMERA, "dark", 0.6),
            transform=f"translate({SIDE * column} {SIDE * row})",
        )
        for row, term in enumerate(HINTED)
        for column, explicitness in enumerate(EXPLICITNESSES)
    ]
    width, height = SIDE * len(EXPLICITNESSES), SIDE * len(HINTED)
    return element(
        "svg",
        element("rect", width=width, height=height, fill="#14171d"),
        *figures,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {width} {height}",
        role="img",
    )


def main() -> None:
    for name, svg in draw_pictures().items():
        (FOLDER / name).write_text(svg, "utf-8")


if __name__ == "__main__":
    main()
