"""What operators see of the service: traces, and log lines in one form, of the web server and the workers."""
