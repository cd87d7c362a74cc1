"""The texts of the dissertation's figures and claims, from `claims.toml`."""

from incast.papers.words import Words

__all__ = ["WORDS"]

WORDS = Words.of(__package__)
