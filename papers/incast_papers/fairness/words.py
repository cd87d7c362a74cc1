"""The texts of the paper's figures and claims, from `claims.toml`."""

from incast.papers.words import Words

__all__ = ["WORDS"]

WORDS = Words.of(__package__)
