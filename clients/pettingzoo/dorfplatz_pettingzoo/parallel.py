"""A parallel environment of PettingZoo: in each step all agents act, and agents that do not decide wait."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import ParallelEnv

from dorfplatz_pettingzoo.environment import Environment

Agents = dict[str, Any]


class ParallelEnvironment(ParallelEnv[str, dict[str, NDArray[Any]], int]):
    """One table of a game; the last action means to wait, and is the only one of an agent that does not decide.

    Everything else is as in the environment that takes turns: agents that decide at once do so one after the other.
    """

    metadata: dict[str, Any] = {}  # noqa: RUF012 -- each environment has its own, with its name

    def __init__(self, game: str, seats: int, render_mode: str | None, language: str) -> None:
        """Take the arguments of `dorfplatz_pettingzoo.parallel_env`; raise ValueError for unsupported ones."""
        self._turns = Environment(game, seats, render_mode, language)
        self.metadata = {**self._turns.metadata, "is_parallelizable": True}
        self.render_mode = render_mode
        self.possible_agents = self._turns.possible_agents[:]
        self.agents: list[str] = []
        self.wait = self._turns.learner.actions.size
        self.action_spaces = {agent: spaces.Discrete(self.wait + 1) for agent in self.possible_agents}
        seen = self._turns.observation_spaces[self.possible_agents[0]]["observation"]
        mask = spaces.Box(0, 1, (self.wait + 1,), np.int8)
        self.observation_spaces = {
            agent: spaces.Dict({"observation": seen, "action_mask": mask}) for agent in self.possible_agents
        }

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of an agent's observations, the same object each time."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of an agent's actions, the same object each time."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Agents, Agents]:
        """Start a game; equal seeds and equal actions make equal games."""
        self._turns.reset(seed, options)
        self.agents = self.possible_agents[:]
        return self._seen(), {agent: {} for agent in self.agents}

    def step(self, actions: dict[str, int]) -> tuple[Agents, Agents, Agents, Agents, Agents]:
        """Take an action of each agent; raise ValueError for an illegal one, and change nothing then."""
        agents, decides = self.agents, self._turns.agent_selection
        if not agents:
            return {}, {}, {}, {}, {}
        for agent in agents:
            if agent != decides and actions[agent] != self.wait:
                raise ValueError(f"{agent} may not take the action {actions[agent]} now")
        self._turns.step(actions[decides])
        ended, rewards = dict(self._turns.terminations), dict(self._turns.rewards)
        seen = self._seen()
        if all(ended.values()):
            self.agents = []
        return seen, rewards, ended, dict.fromkeys(agents, False), {agent: {} for agent in agents}

    def _seen(self) -> Agents:
        return {agent: self._waiting(agent) for agent in self.agents}

    def _waiting(self, agent: str) -> dict[str, NDArray[Any]]:
        seen = self._turns.observe(agent)
        wait = np.array([not seen["action_mask"].any()], np.int8)
        return {"observation": seen["observation"], "action_mask": np.concatenate([seen["action_mask"], wait])}

    def render(self) -> str | NDArray[np.uint8] | None:
        """Return a spectator's view: text, a picture as SVG, or its pixels in red, green and blue."""
        return self._turns.render()

    def close(self) -> None:
        """Do nothing, because a table has no open resources."""
