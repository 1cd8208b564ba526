"""Pictures of sculptures: surfaces, what of them is seen, in which order and light; and lines of ink."""
