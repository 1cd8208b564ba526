"""Barbarossa und die Rätselmeister: riddles in clay, questions, and four wizards on the stairs."""
