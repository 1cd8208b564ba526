"""Runs the frameworks' own tests on our games, and a README's example: `frameworks.py pettingzoo README.md`."""

from __future__ import annotations

import random
import sys
import warnings
from importlib import import_module
from pathlib import Path


def pettingzoo() -> None:
    """Run PettingZoo's `api_test` and `seed_test` on every environment."""
    ours = import_module("dorfplatz_pettingzoo")
    tests = import_module("pettingzoo.test")
    for slug, game in import_module("games.core.registry").registered().items():
        for seats in game.seat_numbers:
            tests.api_test(ours.env(slug, seats), num_cycles=20)
            tests.seed_test(lambda slug=slug, seats=seats: ours.env(slug, seats), num_cycles=10)
            env = ours.env(slug, seats, render_mode="ansi")
            env.reset(seed=1)
            assert env.render().endswith("."), env.render()
            refused = next(action for action in range(10_000) if action not in env._choices)
            try:
                env.step(refused)
            except ValueError:
                continue
            raise AssertionError(f"{slug} takes the action {refused}")


def openspiel() -> None:
    """Run OpenSpiel's random simulation, ask for observations that are no player's, and let its IS-MCTS bot move."""
    ours = import_module("dorfplatz_openspiel")
    pyspiel, numpy = import_module("pyspiel"), import_module("numpy")
    ismcts = import_module("open_spiel.python.algorithms.ismcts")
    mcts = import_module("open_spiel.python.algorithms.mcts")
    for slug in ours.GAMES:
        game = pyspiel.load_game(f"dorfplatz_{slug.replace('-', '_')}")
        pyspiel.random_sim_test(game, num_sims=1, serialize=False, verbose=False)
        for part in (pyspiel.PrivateInfoType.NONE, pyspiel.PrivateInfoType.ALL_PLAYERS):
            wanted = pyspiel.IIGObservationType(perfect_recall=True, public_info=True, private_info=part)
            try:
                game.make_py_observer(wanted)
            except ValueError:
                continue
            raise AssertionError(f"{slug} shows a player's view as {part}")
        state, draw = game.new_initial_state(), random.Random(1)
        while state.is_chance_node():
            state.apply_action(draw.choice(state.chance_outcomes())[0])
        again = pyspiel.deserialize_game_and_state(pyspiel.serialize_game_and_state(game, state))[1]
        assert str(again) == str(state)
        rollouts = mcts.RandomRolloutEvaluator(n_rollouts=1, random_state=numpy.random.RandomState(1))
        bot = ismcts.ISMCTSBot(
            game=game,
            evaluator=rollouts,
            uct_c=2.0,
            max_simulations=5,
            random_state=numpy.random.RandomState(2),
            allow_inconsistent_action_sets=True,
        )
        bot.set_resampler(ours.Resampler(1))
        assert bot.step(state) in state.legal_actions()


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    {"pettingzoo": pettingzoo, "openspiel": openspiel}[sys.argv[1]]()
    example = Path(sys.argv[2]).read_text().split("```python\n")[1].split("```")[0]
    exec(compile(example, "README.md", "exec"), {})  # noqa: S102 -- the example of the README
