"""Webhooks: who is told what, with which signature, over a line that reaches no private address, until it is taken."""
