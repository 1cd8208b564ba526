"""The parts of the picture of a council: colours and shapes, the ring, the middle, and the seats."""
