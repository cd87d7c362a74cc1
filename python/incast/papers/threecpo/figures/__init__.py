"""The figures, one a file: ``fig6_2`` is Figure 6.2 of the dissertation; ``scale`` is ours."""
