"""Mutation testing: what the tests notice of single changes of the code."""
