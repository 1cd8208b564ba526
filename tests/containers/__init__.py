"""Tests of the image and the compose file by running them; `python3 dev.py test --containers` starts them."""
