"""Runs the parallel and the vector form on every game with the frameworks themselves: `forms.py README.md`."""

from __future__ import annotations

import copy
import pickle
import random
import sys
import warnings
from importlib import import_module
from pathlib import Path
from typing import Any, Final

TURNS: Final = 40
GAMES_SEED: Final = 3


def parallel(ours: Any, slug: str, seats: int) -> None:
    """Run PettingZoo's test, play it beside the form that takes turns, and refuse actions of agents that wait.

    PettingZoo's test of seeds samples actions without their masks, so it fits no game with masks.
    """
    tests = import_module("pettingzoo.test")
    tests.parallel_api_test(ours.parallel_env(slug, seats), num_cycles=TURNS)
    env, turns = ours.parallel_env(slug, seats, render_mode="ansi"), ours.env(slug, seats)
    turns.reset(seed=GAMES_SEED)
    seen, _ = env.reset(seed=GAMES_SEED)
    draw = random.Random(1)
    while env.agents:
        decides = turns.agent_selection
        for agent in env.agents:
            one, other = seen[agent], turns.observe(agent)
            assert (one["observation"] == other["observation"]).all()
            assert (one["action_mask"][:-1] == other["action_mask"]).all()
            assert one["action_mask"][-1] == (agent != decides)
        actions = {agent: pick(seen[agent]["action_mask"], draw) for agent in env.agents}
        waiting = next(agent for agent in env.agents if agent != decides)
        if draw.random() < 0.05:
            refuse(env, {**actions, waiting: 0})
            refuse(env, {**actions, decides: env.wait})
            for again in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
                assert str(again.step(actions)) == str(copy.deepcopy(env).step(actions))
        seen, rewards, ended, _, _ = env.step(actions)
        turns.step(actions[decides])
        assert rewards == turns.rewards
        assert ended == turns.terminations
    assert env.render().endswith(".")
    assert env.step({}) == ({}, {}, {}, {}, {})


def refuse(env: Any, actions: dict[str, int]) -> None:
    before = pickle.dumps(env.__dict__["_turns"].__getstate__()["_game"])
    try:
        env.step(actions)
    except ValueError:
        assert before == pickle.dumps(env.__dict__["_turns"].__getstate__()["_game"])
        return
    raise AssertionError(f"the environment takes {actions}")


def pick(mask: Any, draw: random.Random) -> int:
    return draw.choice([action for action, allowed in enumerate(mask.tolist()) if allowed])


def tables(slug: str, seats: int) -> None:
    """Play a vector's tables and single environments of the same seeds alike, into the second game of each."""
    ours, vectors = import_module("dorfplatz_pettingzoo"), import_module("dorfplatz_games.vector")
    vector = vectors.Vector(slug, seats, 2, seed=GAMES_SEED)
    singles = [ours.env(slug, seats) for _ in range(2)]
    for index, env in enumerate(singles):
        env.reset(seed=GAMES_SEED + index)
    draw, games = random.Random(2), [0, 0]
    while min(games) < 1:
        for index, env in enumerate(singles):
            seen = env.observe(env.agent_selection)
            assert env.agents.index(env.agent_selection) == vector.asked[index]
            assert (seen["observation"] == vector.observations[index]).all()
            assert (seen["action_mask"] == vector.masks[index]).all()
        actions = [pick(vector.masks[index], draw) for index in range(2)]
        vector.step(actions)
        for index, env in enumerate(singles):
            env.step(actions[index])
            assert list(env.rewards.values()) == vector.rewards[index].tolist()
            assert vector.ended[index] == all(env.terminations.values())
            if vector.ended[index]:
                games[index] += 1
                env.reset()


def gymnasium(ours: Any, slug: str, seats: int) -> None:
    """Play one seat of some tables in Gymnasium's form against random players and bots."""
    numpy, opponents = import_module("numpy"), import_module("dorfplatz_games.learners.opponents")
    for seat, foes, skip in ((None, None, False), (1, None, True), (0, opponents.Bots("greedy", 1), True)):
        env = ours.vector_env(slug, seats, 6, seat, foes, skip_forced=skip)
        assert env.observation_space.contains(env.reset(seed=GAMES_SEED)[0])
        draw, ended = random.Random(4), 0
        for number in range(TURNS if foes is None else TURNS // 4):
            assert (env.vector.asked == (numpy.arange(6) % seats if seat is None else seat)).all()
            assert env.vector.masks.sum(1).min() >= (2 if skip else 1)
            actions = numpy.array([pick(mask, draw) for mask in env.vector.masks])
            if number % 10 == 0:
                other = pickle.loads(pickle.dumps(env)) if number % 20 else copy.deepcopy(env)
                assert str(other.step(actions)) == str(copy.deepcopy(env).step(actions))
            seen, rewards, over, cut, _ = env.step(actions)
            assert env.observation_space.contains(seen)
            assert not cut.any()
            assert (rewards[~over] == 0).all()
            ended += int(over.sum())
        try:
            env.step(numpy.full(6, env.single_action_space.n))
        except ValueError:
            continue
        raise AssertionError("an action beyond the last one is taken")


def main(readme: Path) -> None:
    """Run all tests, then the README's second example."""
    ours = import_module("dorfplatz_pettingzoo")
    for slug, game in import_module("games.core.registry").registered().items():
        for seats in game.seat_numbers:
            parallel(ours, slug, seats)
            tables(slug, seats)
            gymnasium(ours, slug, seats)
    for wrong in ({"seat": 2}, {"seat": -1}, {"num_envs": 0}):
        try:
            ours.vector_env("hoher-rat", 2, **{"num_envs": 2, **wrong})
        except ValueError:
            continue
        raise AssertionError(f"there is an environment with {wrong}")
    example = readme.read_text().split("```python\n")[2].split("```")[0]
    exec(compile(example, "README.md", "exec"), {})  # noqa: S102 -- the example of the README


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main(Path(sys.argv[1]))
