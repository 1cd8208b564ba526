"""The rules of Gartenzwerge e.V. once more, slowly and plainly, from the rulebook alone.

It reads and gives written records, and knows nothing of how the games package plays. Where the rulebook is silent it
follows the decisions of RULES.md.
"""

from tests.games.gartenzwerge.oracle.club import Club, club
from tests.games.gartenzwerge.oracle.listing import moves
from tests.games.gartenzwerge.oracle.play import make

__all__ = ["Club", "club", "make", "moves"]
