"""The terms of Barbarossa, the questions about them and their answers."""
