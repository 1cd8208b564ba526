"""Tests: conformance of every game, each game alone, the contract, the service, the workers, and the whole."""
