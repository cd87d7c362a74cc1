"""The figures of the paper, one per file: ``fig3`` is Figure 3, ``sec4`` Section 4."""
