"""Where results of runs are kept: whole, once, and whatever stands in the way."""
