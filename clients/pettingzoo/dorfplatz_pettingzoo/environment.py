"""An AEC environment of PettingZoo per game and number of seats."""

from __future__ import annotations

import io
from operator import index
from typing import Any, Final

import msgspec
import numpy as np
from dorfplatz_games.learners import learner
from dorfplatz_games.learners.layout import shown
from gymnasium import spaces
from gymnasium.utils import seeding
from numpy.typing import NDArray
from pettingzoo import AECEnv

from games.core.dice import FastDice
from games.core.learning import MORE, OVER, REFUSED, Episode
from games.core.table import SPECTATOR

SEEDS: Final = 2**61
WIDTH: Final = 800
"""Width of pictures in pixels."""

COMPILED: Final = frozenset({"_copy_mask", "_copy_seen", "_episode", "_look", "_mask", "_observers", "_take", "table"})
"""Attributes that are compiled objects or refer to them; a copy builds its own."""


class Environment(AECEnv[str, dict[str, NDArray[Any]], int]):
    """One table of a game.

    Agents are `seat_0` and so on. An observation is a dictionary with `observation` (bits, see the card) and
    `action_mask`. Rewards come at the end: the share of the win less the mean share, which sum to 0.
    """

    _episode: Episode

    metadata: dict[str, Any] = {  # noqa: RUF012 -- each environment has its own, with its name
        "render_modes": ["ansi", "svg", "rgb_array"],
        "name": "dorfplatz_v0",
        "is_parallelizable": False,
        "render_fps": 1,
    }

    def __init__(self, game: str, seats: int, render_mode: str | None, language: str) -> None:
        """Take the arguments of `dorfplatz_pettingzoo.env`; raise ValueError for unsupported ones."""
        super().__init__()
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise ValueError(f"there is no render mode {render_mode!r}")
        self.learner = learner(game, seats)
        self.metadata = {**self.metadata, "name": f"dorfplatz_{game.replace('-', '_')}_{seats}_v0"}
        self.render_mode = render_mode
        self.language = language
        self.possible_agents = [f"seat_{seat}" for seat in range(seats)]
        self.agents: list[str] = []
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        size, actions = self.learner.layout.size, self.learner.actions.size
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(0, 1, (size,), np.uint8),
                    "action_mask": spaces.Box(0, 1, (actions,), np.int8),
                }
            )
            for agent in self.possible_agents
        }
        self.action_spaces = {agent: spaces.Discrete(actions) for agent in self.possible_agents}
        self._random, _ = seeding.np_random()
        self._options = self.learner.game.options_type()
        self._prepare()

    def _prepare(self) -> None:
        self._mask = self.learner.actions.mask()
        self._observers = [self.learner.layout.observer() for _ in range(self.learner.seats)]
        # These are views of bytes that change with every step, so returned arrays are copies.
        self._copy_mask = shown(self._mask.row, np.int8).copy
        self._copy_seen = [shown(observer.bits, np.uint8).copy for observer in self._observers]

    def __getstate__(self) -> dict[str, Any]:
        """Return the state of a copy: the serialised table, its chance, and a move in progress."""
        state = {name: value for name, value in self.__dict__.items() if name not in COMPILED}
        if "table" in self.__dict__:
            dice: Any = self._episode.dice
            written = msgspec.json.encode(self.learner.game.write(self.table))
            state["_game"] = (written, (int(dice.one), int(dice.two)), [int(each) for each in self._mask.begun])
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore the state of a copy."""
        played = state.pop("_game", None)
        self.__dict__.update(state)
        self._prepare()
        if played is None:
            return
        written, words, begun = played
        game, dice = self.learner.game, FastDice(0)
        dice.one, dice.two = words
        table = game.read(msgspec.json.decode(written, type=game.record_type))
        if game.actors(table):
            self._begin(table, dice)
            for action in begun:
                self._episode.step(action)
            return
        self._begin(
            game.new(self.learner.seats, self._options, FastDice(0)), dice
        )  # no episode starts at the end of a game
        self._episode.table = self.table = table
        self._mask.clear()

    def _begin(self, table: Any, dice: FastDice) -> None:
        self.table = table
        self._episode = Episode(table, dice, self._mask, self._observers)
        self._look, self._take = self._episode.look, self._episode.step

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of an agent's observations, the same object each time."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of an agent's actions, the same object each time."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a game; equal seeds and equal actions make equal games."""
        if seed is not None:
            self._random, _ = seeding.np_random(seed)
        game = self.learner.game
        dice = FastDice(int(self._random.integers(SEEDS)))
        self._begin(game.new(self.learner.seats, self._options, dice), dice)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._seat = self._episode.seat
        self.agent_selection = self.possible_agents[self._seat]

    def observe(self, agent: str) -> dict[str, NDArray[Any]]:
        """Return an agent's knowledge and its legal actions; none if it is not its turn."""
        seat = self._seats[agent]
        self._look(seat)
        mask = self._copy_mask() if seat == self._seat else np.zeros(self.learner.actions.size, np.int8)
        return {"observation": self._copy_seen[seat](), "action_mask": mask}

    def step(self, action: int | None) -> None:
        """Take an action for the current agent; raise ValueError for an action that the mask does not allow."""
        if self.terminations[self.agent_selection]:
            self._was_dead_step(action)
            return
        try:
            seat = self._take(index(action))  # type: ignore[arg-type]  # None is no index
        except (TypeError, OverflowError):
            seat = REFUSED
        if seat >= 0:
            self._seat = seat
            self.agent_selection = self.possible_agents[seat]
        elif seat == OVER:
            self._end()
        else:
            raise ValueError(f"{self.agent_selection} may not take the action {action} now")

    def _end(self) -> None:
        self.rewards = dict(zip(self.agents, self.learner.rewards(self.table), strict=True))
        self.terminations = dict.fromkeys(self.agents, True)
        self._accumulate_rewards()

    def move(self, action: int) -> dict[str, Any] | None:
        """Return the contract's move that an action completes, or None if the move needs more actions.

        The result is `move` with its `code` at this table and its `index` among all moves, None for a kind without
        numbers. Raise ValueError for an action that the mask does not allow.
        """
        code = self._mask.code_of(action)
        if code == REFUSED:
            raise ValueError(f"{self.agent_selection} may not take the action {action} now")
        if code == MORE:
            return None
        game = self.learner.game
        move = game.decode(self.table, code)
        return {"code": code, "index": game.actions.index(move), "move": move}

    def actions_of(self, code: int) -> tuple[int, ...]:
        """Return the actions by which the current agent makes a move of the contract, by its code.

        Raise ValueError for a code that is not among its legal moves, or if a move is in progress.
        """
        taken = () if len(self._mask.begun) else self.learner.path(self.table, self._seat, int(code))
        if not taken:
            raise ValueError(f"{code} is not the code of a move that {self.agent_selection} may make now")
        return taken

    def render(self) -> str | NDArray[np.uint8] | None:
        """Return a spectator's view: text, a picture as SVG, or its pixels in red, green and blue."""
        if self.render_mode is None:
            return None
        game = self.learner.game
        view = game.view(self.table, SPECTATOR)
        if self.render_mode == "ansi":
            return f"{game.texts.sections[self.language]['names']['title']}: {game.headline(view, self.language)}"
        picture = game.picture(view, self.language, "light")
        return picture if self.render_mode == "svg" else pixels(picture)

    def close(self) -> None:
        """Do nothing, because a table has no open resources."""


def pixels(picture: str) -> NDArray[np.uint8]:
    """Convert an SVG to pixels; raise ImportError if the extra `pictures` is not installed."""
    from PIL import Image  # noqa: PLC0415 -- an extra
    from resvg_py import svg_to_bytes  # noqa: PLC0415 -- an extra

    drawn = svg_to_bytes(svg_string=picture, width=WIDTH)
    with Image.open(io.BytesIO(bytes(drawn))) as image:
        return np.asarray(image.convert("RGB"))
