"""The workers: search, simulation, and jobs that survive what happens to their processes."""
