"""Barbarossa und die Rätselmeister."""
