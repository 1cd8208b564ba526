"""The terms to model, the questions about them and their answers.

`catalogue` reads the tables that people write (`attributes.toml`, `columns/`). The rules and the bots read `answers`:
numbers of terms, attributes and answers, and bit sets. `words` spells, `guesses` finds the term that a text means or
nearly means, and `questions` the attribute of a free question. `docs/games/barbarossa-terms.md` describes their origin.
"""
