"""Pictures of sculptures: surfaces with their visible parts, order and light; and lines of ink."""
