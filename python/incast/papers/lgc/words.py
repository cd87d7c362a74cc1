"""The words of the paper, its figures and its claims: `claims.toml`."""

from incast.papers.framework.words import Words

__all__ = ["WORDS"]

WORDS = Words.of(__package__)
