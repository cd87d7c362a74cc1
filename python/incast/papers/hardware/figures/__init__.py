"""The figures, one a file: a machine, or an experiment on one."""
