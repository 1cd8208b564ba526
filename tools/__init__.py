"""Developer tools: the commands of `dev.py`, the environment, and the kernel's build. The service needs none of them.

`environment` and its imports use the standard library alone, because they run before anything is installed.
"""
