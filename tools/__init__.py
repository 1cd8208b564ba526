"""The developer's tools: the commands of `dev.py`, the environment, the kernel's build. The service needs none of them.

`environment` and all that it imports use the standard library alone, because nothing is installed yet when they run.
"""
