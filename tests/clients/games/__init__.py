"""The rules as a library, in this process and from its wheel."""
