"""The parts of the picture of a club: colours and shapes, the noticeboard, and the members' plots."""
