"""The packages for learners: observations, actions, and the tests of PettingZoo and OpenSpiel."""
