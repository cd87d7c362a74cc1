"""The pages in a real browser: one for all tests of this package."""
