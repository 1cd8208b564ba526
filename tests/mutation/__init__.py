"""Mutation testing: detection of single changes of the code by the tests."""
