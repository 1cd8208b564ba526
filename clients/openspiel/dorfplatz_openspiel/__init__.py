"""The games of Dorfplatz as OpenSpiel games; importing this registers them with pyspiel.

Their names are `dorfplatz_hoher_rat`, `dorfplatz_wichtel`, `dorfplatz_gartenzwerge` and `dorfplatz_barbarossa`; the
parameter `players` is the number of players. Actions and tensors are those of `dorfplatz_pettingzoo`. Each draw of a
game is a chance node.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final

import msgspec
import numpy as np
import pyspiel
from dorfplatz_games.learners import LEARNING, Learner, learner

from games.core.bits import first, members_of
from games.core.dice import FastDice, RecordingDice, ScriptedDice
from games.core.registry import registered

HANDS: Final = 16
"""Number of possible hands that knead a piece of Barbarossa: one of them is drawn, in place of 10^9."""

MAX_OUTCOMES: Final = 64
"""Maximum number of outcomes of a draw; numbers of cards and faces are below it."""

MAX_STEPS: Final = 100_000
"""An upper bound on the moves and draws of any game."""


@dataclass(frozen=True, slots=True)
class Position:
    """An immutable position of a game, shared by copies of a state.

    `table` is the table before the current move, None before the deal. If `limit` is not 0, chance draws next: a number
    below it for the purpose `what`, or a member of the set `members`. `script` contains the draws so far for the move
    `code` of the seat `mover`.
    """

    game: Learner
    table: Any = None
    seat: int = pyspiel.PlayerId.CHANCE
    begun: tuple[int, ...] = ()
    mover: int = -1
    code: int = -1
    script: tuple[tuple[int, int], ...] = ()
    what: int = 0
    limit: int = 0
    members: int = 0

    def __deepcopy__(self, memo: object) -> Position:
        """Return the position itself."""
        return self

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        """Pickle the table in its serialised form."""
        written = None if self.table is None else msgspec.json.encode(self.game.game.write(self.table))
        rest = (self.seat, self.begun, self.mover, self.code, self.script, self.what, self.limit, self.members)
        return read_position, (self.game, written, rest)


def read_position(game: Learner, written: bytes | None, rest: tuple[Any, ...]) -> Position:
    """Return a pickled position."""
    if written is None:
        return Position(game, None, *rest)
    return Position(game, game.game.read(msgspec.json.decode(written, type=game.game.record_type)), *rest)


class Game(pyspiel.Game):
    """One game with a number of players."""

    slug: ClassVar[str]
    kind: ClassVar[Any]

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        """Take OpenSpiel's parameters; raise ValueError for an unsupported number of players."""
        params = params or {}
        self.learner: Learner = learner(self.slug, int(params.get("players", registered()[self.slug].seat_numbers[0])))
        seats = self.learner.seats
        info = pyspiel.GameInfo(
            num_distinct_actions=self.learner.actions.size,
            max_chance_outcomes=MAX_OUTCOMES,
            num_players=seats,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=MAX_STEPS,
        )
        super().__init__(self.kind, info, params)

    def new_initial_state(self) -> State:
        """Return a table before the deal."""
        return State(self)

    def make_py_observer(self, kind: Any = None, params: dict[str, Any] | None = None) -> Observer | None:
        """Return an observer of everything that a player knows; None for any other kind.

        Raise ValueError for parameters, because none are supported.

        Observations of public information with perfect recall do not exist, since games have no such view.
        """
        if params:
            raise ValueError(f"observations take no parameters, and not {params}")
        if kind is not None and not (kind.public_info and kind.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER):
            return None
        return Observer(self.learner)


class State(pyspiel.State):
    """A table with a deal or a move in progress."""

    def __init__(self, game: Game) -> None:
        """Start before the deal."""
        super().__init__(game)
        self.position = advanced(Position(game.learner))

    @property
    def table(self) -> Any:
        """Return the table before the current move; None before the deal."""
        return self.position.table

    def current_player(self) -> int:
        """Return the player who moves next."""
        return int(self.position.seat)

    def is_terminal(self) -> bool:
        """Return whether the game is over."""
        return bool(self.position.seat == pyspiel.PlayerId.TERMINAL)

    def _legal_actions(self, player: int) -> list[int]:
        place = self.position
        return sorted(place.game.choices(place.table, player, place.begun))

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the possible draws, all equally likely."""
        place = self.position
        if place.members:
            values = [int(value) for value in members_of(place.members)]
        else:
            values = list(range(place.limit if place.limit <= MAX_OUTCOMES else HANDS))
        return [(value, 1 / len(values)) for value in values]

    def _apply_action(self, action: int) -> None:
        place, game = self.position, self.position.game
        if place.limit:
            drawn = replace(place, script=(*place.script, (place.what, action)), limit=0, members=0)
            self.position = advanced(drawn)
            return
        code = game.choices(place.table, place.seat, place.begun).get(action)
        if code is None:
            raise ValueError(f"player {place.seat} may not take the action {action}")
        if code < 0:
            self.position = replace(place, begun=(*place.begun, action))
        else:
            self.position = advanced(replace(place, mover=place.seat, code=code))

    def _action_to_string(self, player: int, action: int) -> str:
        place = self.position
        if player == pyspiel.PlayerId.CHANCE:
            return f"draw {action}"
        code = self.position.game.choices(place.table, player, place.begun).get(action, -1)
        if code < 0:
            return f"begin {action}"
        return msgspec.json.encode(self.position.game.game.decode(place.table, code)).decode()

    def returns(self) -> list[float]:
        """Return each player's share of the win minus the mean share, 0 before the end."""
        table = self.position.table
        return [0.0] * self.position.game.seats if table is None else self.position.game.rewards(table)

    def __str__(self) -> str:
        """Return the table with the action in progress."""
        place = self.position
        table = b"" if place.table is None else msgspec.json.encode(self.position.game.game.write(place.table))
        return f"{table.decode()} {place.begun} {place.code} {place.script}"


def advanced(place: Position) -> Position:
    """Deal, or make the current move, if all its draws are known."""
    game, script = place.game, list(place.script)
    while True:
        dice = RecordingDice(ScriptedDice(list(script), FastDice(0)))
        if place.table is None:
            table = game.game.new(game.seats, game.game.options_type(), dice)
        else:
            table = place.table.clone()
            table.apply(place.mover, place.code, dice, None)
        if len(dice.draws) == len(script):
            actors = table.actors()
            return Position(game, table=table, seat=first(actors) if actors else pyspiel.PlayerId.TERMINAL)
        what, limit, members, value = dice.draws[len(script)]
        if limit > 1:
            return replace(
                place,
                seat=pyspiel.PlayerId.CHANCE,
                begun=(),
                script=tuple(script),
                what=what,
                limit=limit,
                members=members,
            )
        script.append((what, value))  # only one outcome


class Observer:
    """Encodes a player's knowledge: the view as JSON, and the bits that the layout describes."""

    def __init__(self, game: Learner) -> None:
        """Start with an empty tensor."""
        self._game = game
        self.tensor = np.zeros(game.layout.size, np.float32)
        self.dict = {"observation": self.tensor}

    def set_from(self, state: State, player: int) -> None:
        """Encode a state's tensor for a player."""
        place = state.position
        if place.table is None:
            self.tensor.fill(0)
        else:
            begun = place.begun if place.seat == player else ()
            self.tensor[:] = self._game.layout.observe(place.table, player, begun)

    def string_from(self, state: State, player: int) -> str:
        """Return a player's knowledge as JSON, which has perfect recall."""
        place = state.position
        if place.table is None:
            return f"player {player}, before the deal"
        begun = list(place.begun) if place.seat == player else []
        return msgspec.json.encode({"view": self._game.game.view(place.table, player), "begun": begun}).decode()


class Resampler:
    """Resamples hidden information for OpenSpiel's IS-MCTS bot: `bot.set_resampler(Resampler(seed))`."""

    def __init__(self, seed: int) -> None:
        """Take a seed of 0 to 2^61."""
        self._dice = FastDice(seed)

    def __call__(self, state: State, player: int) -> State:
        """Return a random state that the player cannot distinguish from this one."""
        place = state.position
        copy: State = state.clone()
        if place.table is not None:
            table = place.table.clone()
            table.redeal(player, self._dice)
            copy.position = replace(place, table=table)
        return copy


GAMES: Final[dict[str, type[Game]]] = {}
"""The registered games by slug."""


def register() -> None:
    """Register every game with pyspiel."""
    for slug in LEARNING:
        game = registered()[slug]
        kind = pyspiel.GameType(
            short_name=f"dorfplatz_{slug.replace('-', '_')}",
            long_name=game.texts.sections["en"]["names"]["title"],
            dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
            chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
            information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
            utility=pyspiel.GameType.Utility.ZERO_SUM,
            reward_model=pyspiel.GameType.RewardModel.TERMINAL,
            max_num_players=max(game.seat_numbers),
            min_num_players=min(game.seat_numbers),
            provides_information_state_string=True,
            provides_information_state_tensor=True,
            provides_observation_string=True,
            provides_observation_tensor=True,
            parameter_specification={"players": game.seat_numbers[0]},
        )
        # A class instead of a function, because pyspiel releases it after the interpreter has ended. Pickle finds it by
        # name.
        name = f"{type(game).__name__}Game"
        GAMES[slug] = type(name, (Game,), {"__module__": __name__, "slug": slug, "kind": kind})
        globals()[name] = GAMES[slug]
        pyspiel.register_game(kind, GAMES[slug])


register()
