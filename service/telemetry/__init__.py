"""Telemetry of the web server and the workers for operators: traces, structured logs, and metrics of the store."""
