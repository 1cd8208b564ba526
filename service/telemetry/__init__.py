"""What operators see of the web server and the workers: traces, structured logs, and metrics of the store."""
