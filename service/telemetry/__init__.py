"""Telemetry for operators: traces, structured logs, and metrics."""
