"""Tests of Gartenzwerge e.V."""
