"""Trains a network for Der Hohe Rat with two seats by PPO with action masks, against earlier states of itself.

    python clients/pettingzoo/examples/learn.py train --folder runs/hoher-rat --minutes 60
    python clients/pettingzoo/examples/learn.py evaluate --folder runs/hoher-rat --games 400

The network and PPO are those of `sb3-contrib` (MaskablePPO). The tables are a `dorfplatz_pettingzoo.vector_env`.
`train` goes on from the last checkpoint in its folder, and adds a line to `curve.jsonl` after each evaluation.
"""

from __future__ import annotations

import argparse
import io
import json
import pickle
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import gymnasium
import numpy as np
import torch
from dorfplatz_games.learners.opponents import Bots, at_random
from dorfplatz_games.vector import Vector
from dorfplatz_pettingzoo import vector_env
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.vec_env import VecEnv

GAME: Final = "hoher-rat"
SEATS: Final = 2
TABLES: Final = 128
GAMMA: Final = 0.998
"""The discount. Rewards are shaped by a potential, which changes no best policy (Ng, Harada and Russell, 1999)."""

STEPS: Final = 128
"""Steps of each table between two updates."""

SNAPSHOT_UPDATES: Final = 5
"""Updates between two snapshots of the network, which become opponents."""

SNAPSHOTS: Final = 3
"""Snapshots that are kept."""

EVALUATE_UPDATES: Final = 10
"""Updates between two evaluations."""

CURVE_GAMES: Final = {"random": 100, "easy": 40}
"""Games of an evaluation during training, by the opponents' level."""

Z: Final = 1.96


class Earlier:
    """Opponents that are earlier states of the learner's network: at each table one of them, or a random player."""

    def __init__(self) -> None:
        """Begin with random players alone."""
        self.saved: list[bytes] = []
        self._networks: list[Any] = []
        self._assigned = np.full(TABLES, -1)
        self._random = np.random.default_rng(1)

    def add(self, policy: Any) -> None:
        """Keep the present state; it plays at half of the tables, and others play at the rest."""
        file = io.BytesIO()
        policy.save(file)
        self.saved = [*self.saved, file.getvalue()][-SNAPSHOTS:]
        self.load()
        last = len(self.saved) - 1
        others = self._random.integers(-1, last + 1, TABLES)
        self._assigned = np.where(self._random.random(TABLES) < 1 / 2, last, others)

    def load(self) -> None:
        """Make the networks of the kept states."""
        self._networks = [MaskableActorCriticPolicy.load(io.BytesIO(state), device="cpu") for state in self.saved]
        for network in self._networks:
            network.set_training_mode(mode=False)

    def __getstate__(self) -> dict[str, Any]:
        """Return everything but the networks, which `load` makes again."""
        return {**self.__dict__, "_networks": []}

    def __call__(self, vector: Vector, tables: NDArray[np.int64]) -> NDArray[np.int64]:
        """Choose an action at each table by its opponent."""
        actions = at_random(vector, tables).copy()
        for number, network in enumerate(self._networks):
            chosen = self._assigned[tables] == number
            if chosen.any():
                actions[chosen] = act(network, vector, tables[chosen])
        return actions


def act(network: Any, vector: Vector, tables: NDArray[np.int64], *, best: bool = False) -> NDArray[np.int64]:
    """Draw an action from a network's distribution at each table, or take the most probable one."""
    with torch.no_grad():
        seen = torch.as_tensor(vector.observations[tables])
        actions = network.get_distribution(seen, vector.masks[tables]).get_actions(deterministic=best)
    return np.asarray(actions.numpy())


class Tables(VecEnv):
    """The vector environment in the form of Stable-Baselines3, with the masks beside the observations."""

    def __init__(self, opponents: Any, seed: int | None) -> None:
        """Take the opponents, and the seed of the first games."""
        self.env = vector_env(GAME, SEATS, TABLES, opponents=opponents, skip_forced=True)
        self.masks = np.zeros((TABLES, self.env.single_action_space.n), np.int8)
        self.potentials = np.zeros(TABLES)
        self.first_seed: int | None = seed
        box = self.env.single_observation_space["observation"]
        super().__init__(TABLES, box, gymnasium.spaces.Discrete(int(self.env.single_action_space.n)))

    def reset(self) -> Any:
        """Begin a game at each table."""
        seen, _ = self.env.reset(seed=self.first_seed)
        self.first_seed = None
        self.masks = seen["action_mask"]
        self.potentials = self.estimate()
        return seen["observation"]

    def estimate(self) -> NDArray[np.float64]:
        """Return the chance to win at each table by the hand-made evaluation `greedy`, less a half."""
        vector, own = self.env.vector, self.env.own
        worth = vector.learner.game.worth("greedy")
        return np.array([worth.estimate(vector.table(index))[seat] for index, seat in enumerate(own)]) - 0.5

    def step_async(self, actions: Any) -> None:
        """Take the actions for the next step."""
        self.actions = actions

    def step_wait(self) -> Any:
        """Take a step."""
        seen, rewards, ended, _, _ = self.env.step(self.actions)
        self.masks = seen["action_mask"]
        # A terminated game has no value afterwards, so its last observation is never read.
        before, self.potentials = self.potentials, self.estimate()
        shaped = rewards + np.where(ended, 0, GAMMA * self.potentials) - before
        infos = [
            {"terminal_observation": seen["observation"][index]} if over else {} for index, over in enumerate(ended)
        ]
        return seen["observation"], 2 * shaped.astype(np.float32), ended, infos

    def env_method(self, method_name: str, *_args: Any, indices: Any = None, **_kwargs: Any) -> list[Any]:
        """Return the masks, the one method of the tables."""
        if method_name != "action_masks":
            raise AttributeError(method_name)
        return list(self.masks)

    def has_attr(self, attr_name: str) -> bool:
        """Return whether the tables have an attribute or method."""
        return attr_name == "action_masks"

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """Return an attribute of every table."""
        return [getattr(self.env, attr_name, None)] * TABLES

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Set nothing: tables have no attributes."""

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """Return that no table is wrapped."""
        return [False] * TABLES

    def close(self) -> None:
        """Do nothing, because tables have no open resources."""


def new_model(tables: Tables) -> MaskablePPO:
    """Return an untrained model."""
    return MaskablePPO(
        "MlpPolicy",
        tables,
        n_steps=STEPS,
        batch_size=2048,
        n_epochs=3,
        gamma=GAMMA,
        gae_lambda=0.97,
        ent_coef=0.005,
        learning_rate=5e-4,
        policy_kwargs={"net_arch": [128, 128]},
        device="cpu",
        seed=1,
    )


def train(folder: Path, minutes: float) -> None:
    """Train until the time is used up, from the last checkpoint on."""
    folder.mkdir(parents=True, exist_ok=True)
    opponents = Earlier()
    state = {"updates": 0, "seconds": 0.0}
    kept = folder / "state.pickle"
    if kept.exists():
        state, opponents, env = pickle.loads(kept.read_bytes())  # noqa: S301 -- our own file
        opponents.load()
        tables = Tables(opponents, None)
        tables.env.vector = env
        model = MaskablePPO.load(folder / "model.zip", tables, device="cpu")
    else:
        tables = Tables(opponents, 1)
        model = new_model(tables)
    began = time.monotonic()
    while time.monotonic() - began < 60 * minutes:
        since = time.process_time()
        model.learn(TABLES * STEPS, reset_num_timesteps=state["updates"] == 0)
        state["seconds"] += time.process_time() - since
        state["updates"] += 1
        if state["updates"] % SNAPSHOT_UPDATES == 0:
            opponents.add(model.policy)
        if state["updates"] % EVALUATE_UPDATES == 0:
            model.save(folder / "model.zip")
            kept.write_bytes(pickle.dumps((state, opponents, tables.env.vector)))
            scores = {level: score(model.policy, level, games) for level, games in CURVE_GAMES.items()}
            line = {"steps": model.num_timesteps, "cpu_seconds": round(state["seconds"]), **scores}
            with (folder / "curve.jsonl").open("a") as curve:
                curve.write(json.dumps(line) + "\n")
            print(line, flush=True)  # noqa: T201 -- a command


def score(policy: Any, level: str, games: int) -> float:
    """Return the policy's share of the wins in games against bots of a level, half of them in each seat."""
    opponents = at_random if level == "random" else Bots(level, 7)
    env = vector_env(GAME, SEATS, min(games, 40), opponents=opponents, skip_forced=True)
    env.reset(seed=10_000)
    counted = np.zeros(env.num_envs, np.int64)
    each = -(-games // env.num_envs)  # the first games of each table, so that short games do not count more
    points = 0.0
    while (counted < each).any():
        actions = act(policy, env.vector, np.arange(env.num_envs), best=True)
        _, rewards, ended, _, _ = env.step(actions)
        for index in np.flatnonzero(ended & (counted < each)):
            points += float(rewards[index]) + 1 / SEATS
            counted[index] += 1
    return float(points / counted.sum())


def evaluate(folder: Path, games: int, levels: Sequence[str]) -> None:
    """Write the share of wins against each level to `evaluation.json`, with a 95 % interval by Wilson."""
    results = []
    model = MaskablePPO.load(folder / "model.zip", device="cpu")
    for level in levels:
        share = score(model.policy, level, games)
        middle = (share + Z * Z / (2 * games)) / (1 + Z * Z / games)
        half = Z / (1 + Z * Z / games) * (share * (1 - share) / games + Z * Z / (4 * games * games)) ** 0.5
        results.append({"level": level, "games": games, "share": share, "low": middle - half, "high": middle + half})
        print(results[-1], flush=True)  # noqa: T201 -- a command
    (folder / "evaluation.json").write_text(json.dumps(results, indent=2) + "\n")


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["train", "evaluate"])
    parser.add_argument("--folder", type=Path, required=True, help="folder of the checkpoint and the curve")
    parser.add_argument("--minutes", type=float, default=60, help="time to train")
    parser.add_argument("--games", type=int, default=400, help="games against each level")
    parser.add_argument("--levels", nargs="+", default=["random", "easy"], help="levels of the opponents")
    parser.add_argument("--threads", type=int, default=2, help="threads of PyTorch")
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    torch.distributions.Distribution.set_default_validate_args(False)  # a sixth of the time
    if arguments.command == "train":
        train(arguments.folder, arguments.minutes)
    else:
        evaluate(arguments.folder, arguments.games, arguments.levels)


if __name__ == "__main__":
    main()
