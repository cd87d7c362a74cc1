"""Studies: a scenario, the values to vary, the measures; and the sweep that runs them."""
