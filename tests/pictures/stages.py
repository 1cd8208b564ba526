"""Views to draw: every game at every number of seats: beginning, middle, fullest view, and end."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from games.core.dice import CHOICE, FastDice
from games.core.game import Game
from games.core.registry import registered
from games.core.table import SPECTATOR
from games.core.texts import LANGUAGES

STAGES: Final = ("beginning", "middle", "fullest", "end")

SEED: Final = 11
MAX_MOVES: Final = 1_000

NAMES: Final = {
    "en": None,
    "de": ["Hannelore", "Karl-Friedrich von und zu Wiesengrund-Adorno", "Jo", "Ömer", "Wilhelmine", "漢字かな"],
    "it": ["Giuseppina Maria", "WWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWW", "Ada", "Ugo", "Ilaria", "Elio"],
}
"""Names of players by language, of which some are as long and broad as a name may be (40 letters); None for none."""


@dataclass(frozen=True, slots=True)
class Stage:
    game: Game
    seats: int
    name: str
    view: Any

    def drawn(self, language: str, theme: str) -> str:
        names = NAMES[language]
        given = None if names is None else [name[:40] for name in names[: self.seats]]
        return self.game.picture(self.view, language, theme, 0, given)


@dataclass(frozen=True, slots=True)
class Shown:
    stage: Stage
    language: str
    theme: str
    svg: str

    @property
    def name(self) -> str:
        stage = self.stage
        return f"{stage.game.slug} {stage.seats} {stage.name} {self.language} {self.theme}"


def stages() -> Iterator[Stage]:
    """Play every game at random, the same each time, and yield its stages as different viewers see them."""
    for game in registered().values():
        for seats in game.seat_numbers:
            tables = play_tables(game, seats)
            views = [game.view(table, 0) for table in tables]
            fullest = max(views, key=lambda view: len(msgspec.json.encode(view)) - (0 if view.actors else 10**6))
            yield Stage(game, seats, "beginning", views[0])
            yield Stage(game, seats, "middle", game.view(tables[len(tables) // 2], 1))
            yield Stage(game, seats, "fullest", fullest)
            yield Stage(game, seats, "end", game.view(tables[-1], SPECTATOR))


def play_tables(game: Game, seats: int) -> list[Any]:
    dice = FastDice(SEED)
    tables = [game.new(seats, next(iter(game.presets.values())), dice)]
    while (actors := game.actors(tables[-1])) and len(tables) < MAX_MOVES:
        table = tables[-1].clone()
        codes = game.listing(table, actors[0])
        table.apply(actors[0], codes[int(dice.below(len(codes), CHOICE))], dice, None)
        tables.append(table)
    return tables


def draw_stages(themes: tuple[str, ...] = ("light", "dark"), only: str = "") -> Iterator[Shown]:
    for stage in stages():
        if only in stage.game.slug:
            for language in LANGUAGES:
                for theme in themes:
                    yield Shown(stage, language, theme, stage.drawn(language, theme))
