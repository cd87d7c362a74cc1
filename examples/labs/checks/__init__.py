"""Checks of the lab sheets: whether an answer is right, and a hint if it is not."""
