"""The figures, one per file: ``fig6_2`` is Figure 6.2 of the dissertation; ``scale`` is our own."""
