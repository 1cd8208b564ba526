"""The parts of the picture of a hall: colours and shapes, the ring, the stairs, the conversation, and the tables."""
