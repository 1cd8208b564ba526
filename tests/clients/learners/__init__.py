"""The packages for learners: what they observe, how they act, and the tests of PettingZoo and OpenSpiel."""
