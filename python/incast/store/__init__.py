"""Where results of runs are kept: complete, and once per scenario and seed."""
