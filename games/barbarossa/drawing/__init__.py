"""The parts of the picture of a hall: colours and shapes, the ring, the stairs, what was asked, and the tables."""
