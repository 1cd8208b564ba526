"""Runs the frameworks' own tests on our games, and a README's example: `frameworks.py pettingzoo README.md`."""

from __future__ import annotations

import copy
import io
import pickle
import random
import sys
import unittest
import warnings
from collections.abc import Callable
from contextlib import redirect_stdout
from importlib import import_module
from itertools import count
from pathlib import Path
from typing import Any, Final
from unittest import mock

COPIED_TURNS: Final = 60
"""Number of turns in the comparison of two copies of an environment."""

SOME_STATES: Final = 100
"""Number of states of each game in OpenSpiel's test of the API."""


class Ticks:
    """Stands for the module `time` where a loop runs for seconds: each look at the clock is a second later."""

    def __init__(self) -> None:
        self._seconds = count()

    def time(self) -> int:
        return next(self._seconds)


def pettingzoo() -> None:
    """Run PettingZoo's `api_test`, `seed_test` and `performance_benchmark` on every environment, and draw it."""
    benchmark = import_module("pettingzoo.test.performance_benchmark")
    ours = import_module("dorfplatz_pettingzoo")
    tests = import_module("pettingzoo.test")
    for slug, game in import_module("games.core.registry").registered().items():
        for seats in game.seat_numbers:
            tests.api_test(ours.env(slug, seats), num_cycles=20)
            tests.seed_test(lambda slug=slug, seats=seats: ours.env(slug, seats), num_cycles=10)
            drawn = {mode: ours.env(slug, seats, render_mode=mode) for mode in ("ansi", "svg", "rgb_array")}
            for env in drawn.values():
                env.reset(seed=1)
            assert drawn["ansi"].render().endswith(".")
            assert drawn["svg"].render().startswith("<svg")
            height, width, colours = drawn["rgb_array"].render().shape
            assert min(height, width) > 100
            assert colours == 3
            with mock.patch.object(benchmark, "time", Ticks()), redirect_stdout(io.StringIO()) as printed:
                benchmark.performance_benchmark(env)
            assert "turns per second" in printed.getvalue()
            code = env.learner.game.legal(env.table, env.agents.index(env.agent_selection))[0]
            *begun, last = env.actions_of(code)
            for action in begun:
                assert env.move(action) is None
                env.step(action)
            told = env.move(last)
            assert (told["code"], told["index"]) == (code, env.learner.game.actions.index(told["move"]))
            for made in (copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))):
                follow_copies(ours.env(slug, seats), made)
            refused = next(
                action for action in range(10_000) if not env.observe(env.agent_selection)["action_mask"][action]
            )
            try:
                env.step(refused)
            except ValueError:
                continue
            raise AssertionError(f"{slug} takes the action {refused}")


def follow_copies(env: Any, made: Callable[[Any], Any]) -> None:
    """Copy an environment before its first game, in the middle of moves, and at the end, and play both alike."""
    numpy, draw = import_module("numpy"), random.Random(3)
    env = made(env)
    env.reset(seed=3)
    wanted = {0, 1, 2, 5, 40, 41}
    begun = 0
    for number in count():
        if all(env.terminations.values()):
            break
        if number in wanted or (len(env._mask.begun) and begun < 2):
            begun += bool(len(env._mask.begun))
            env, old = made(env), env
            assert env is not old
            for agent in env.agents:
                one, other = env.observe(agent), old.observe(agent)
                assert all(numpy.array_equal(one[name], other[name]) for name in one)
            trail = [follow(each, random.Random(number)) for each in (made(env), old)]
            assert trail[0] == trail[1], number
        take_any(env, draw)
    for _ in range(2):
        env = made(env)
        assert made(env).rewards == env.rewards
        if env.agents:
            env.step(None)


def follow(env: Any, draw: random.Random) -> list[Any]:
    seen: list[Any] = []
    for _ in range(COPIED_TURNS):
        if all(env.terminations.values()):
            break
        take_any(env, draw)
        observations = [env.observe(agent) for agent in env.agents]
        seen.append([env.agent_selection, dict(env.rewards), [each["observation"].tobytes() for each in observations]])
    return seen


def take_any(env: Any, draw: random.Random) -> None:
    mask = env.observe(env.agent_selection)["action_mask"]
    env.step(draw.choice([action for action, allowed in enumerate(mask.tolist()) if allowed]))


def openspiel() -> None:
    """Run OpenSpiel's simulations and its test of the API on every game, and let its IS-MCTS bot play it to the end.

    The simulation that asks for everybody's observations at every step runs with the most players alone.
    """
    ours = import_module("dorfplatz_openspiel")
    pyspiel = import_module("pyspiel")
    simulation = import_module("open_spiel.python.tests.games_sim_test").GamesSimTest()
    for slug, title in import_module("games.core.registry").registered().items():
        assert slug in ours.GAMES
        for seats in title.seat_numbers:
            name = f"dorfplatz_{slug.replace('-', '_')}"
            game = pyspiel.load_game(name, {"players": seats})
            assert game.num_players() == seats
            if seats == max(title.seat_numbers):
                pyspiel.random_sim_test(game, num_sims=1, serialize=False, verbose=False)
            simulation.sim_game(game)
            enforce_api(name, game)
            copy_states(game)
            observe_no_other(game)
            play_to_the_end(game, ours.Resampler(1))


def enforce_api(name: str, game: Any) -> None:
    base = import_module("open_spiel.integration_tests.api_test").EnforceAPIOnPartialTreeBase
    case = type(f"Api{name}", (base,), {"game": game, "game_name": name})
    tests = unittest.defaultTestLoader.loadTestsFromTestCase(case)
    told = io.StringIO()
    sampling = import_module("open_spiel.python.algorithms.sample_some_states")
    states = sampling.sample_some_states(game, max_states=SOME_STATES)
    with mock.patch.object(sampling, "sample_some_states", return_value=states):
        done = unittest.TextTestRunner(told).run(tests)
    assert done.wasSuccessful(), told.getvalue()
    assert done.testsRun >= 5


def copy_states(game: Any) -> None:
    """Copy a game and its states on the way, and play the copies alike."""
    draw, state = random.Random(4), game.new_initial_state()
    for number in range(COPIED_TURNS):
        if state.is_terminal():
            break
        if number % 12 == 0:
            for each in (copy.deepcopy(state), pickle.loads(pickle.dumps(state)), state.clone()):
                assert (str(each), each.legal_actions()) == (str(state), state.legal_actions())
            assert pickle.loads(pickle.dumps(game)).num_distinct_actions() == game.num_distinct_actions()
            assert copy.deepcopy(game).num_players() == game.num_players()
        state.apply_action(draw.choice(state.legal_actions()))


def observe_no_other(game: Any) -> None:
    pyspiel = import_module("pyspiel")
    for part in (pyspiel.PrivateInfoType.NONE, pyspiel.PrivateInfoType.ALL_PLAYERS):
        wanted = pyspiel.IIGObservationType(perfect_recall=True, public_info=True, private_info=part)
        assert game.make_py_observer(wanted) is None, f"{game} shows a player's view as {part}"


class Even:
    """Takes every position for as good as any other, and every move."""

    def evaluate(self, state: Any) -> Any:
        return import_module("numpy").zeros(state.num_players())

    def prior(self, state: Any) -> list[tuple[int, float]]:
        actions = state.legal_actions(state.current_player())
        return [(action, 1 / len(actions)) for action in actions]


def play_to_the_end(game: Any, resampler: Any) -> None:
    """Let OpenSpiel's IS-MCTS bot play the first seat of a game, and chance the others."""
    numpy = import_module("numpy")
    bot = import_module("open_spiel.python.algorithms.ismcts").ISMCTSBot(
        game=game,
        evaluator=Even(),
        uct_c=2.0,
        max_simulations=4,
        random_state=numpy.random.RandomState(2),
        allow_inconsistent_action_sets=True,
    )
    bot.set_resampler(resampler)
    state, draw, asked = game.new_initial_state(), random.Random(1), 0
    while not state.is_terminal():
        if state.is_chance_node():
            state.apply_action(draw.choice(state.chance_outcomes())[0])
        elif state.current_player() == 0:
            asked += 1
            assert not any(state.legal_actions(other) for other in range(1, state.num_players()))
            action = bot.step(state)
            assert action in state.legal_actions()
            state.apply_action(action)
        else:
            state.apply_action(draw.choice(state.legal_actions()))
    assert asked > 5
    assert abs(sum(state.returns())) < 1e-9


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    {"pettingzoo": pettingzoo, "openspiel": openspiel}[sys.argv[1]]()
    example = Path(sys.argv[2]).read_text().split("```python\n")[1].split("```")[0]
    exec(compile(example, "README.md", "exec"), {})  # noqa: S102 -- the example of the README
