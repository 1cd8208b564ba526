"""What every game offers and what all of them share."""
