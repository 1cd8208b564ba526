"""The page about environments for learners."""

from bench.learners import FIGURES, VECTOR, YARDSTICK, document
from bench.rounds import Figures


def test_a_vector_is_compared_with_the_seeded_moves_and_the_turns_of_texas_holdem() -> None:
    figures = Figures()
    turns, loop, moves = FIGURES
    for vector in (400_000.0, 500_000.0, 900_000.0):
        figures.add(YARDSTICK, {turns: 12_500.0, loop: 500_000.0, moves: 4_000.0})
        figures.add("wichtel 3", {turns: 250_000.0, loop: 500_000.0, moves: 80_000.0, VECTOR: vector})
    page = document(figures, 3, 0.3)
    assert "| wichtel 3 | 500,000 | 125 | 40 |" in page
    assert "| wichtel 3 | 250,000 | 20.0 | 500,000 | 40.0 | 80,000 | 20.0 |" in page
    assert f"| {YARDSTICK} | 12,500 | 1.0 |" in page
    assert page.count(f"| {YARDSTICK} |") == 1
