"""Tests of the pages in a real browser: all of this package share one browser."""
