"""The figures, one per file: ``fig3_9`` is Figure 3.9 of the dissertation, ``sec5_3`` its §5.3."""
