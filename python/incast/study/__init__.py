"""Studies: a scenario, what is varied, what is measured; and the sweep over all of it."""
