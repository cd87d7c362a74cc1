"""The figures of the paper, one a file: ``fig3`` is Figure 3, ``sec5a`` the first of Section V."""
