"""What the kernel is compared with; each is a program of its own that prints one line of JSON."""
