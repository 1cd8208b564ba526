"""The things that are modelled, the questions about them and their answers.

`catalogue` reads the tables that people write (`attributes.toml`, `columns/`); `answers` is what the rules and the bots
read: numbers of terms, attributes and answers, and bit sets; `words` spells, `guesses` tells which term a text means
and how near it is, `questions` which attribute a free question asks for. `docs/games/barbarossa-terms.md` says how they
came about.
"""
