"""Pictures of all games at every number of seats, drawn in a real browser: looked at by people, measured by tests."""
