"""Tests that kill, stop and cut what the service stands on."""
