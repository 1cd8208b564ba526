"""Tests of the web server without a server: a scope, `receive` and `send` of the test's."""
