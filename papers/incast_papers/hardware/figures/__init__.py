"""The figures, one per file: a machine, or an experiment on a machine."""
