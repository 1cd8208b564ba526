"""What was stored by earlier versions goes on."""
