"""Observations, masks and rewards of the games for learners, with NumPy; the extra `learners`."""

from __future__ import annotations

from dorfplatz_games.learners.layout import Field, Layout
from dorfplatz_games.learners.spaces import LEARNING, Actions, Learner, learner

__all__ = ["LEARNING", "Actions", "Field", "Layout", "Learner", "learner"]
