"""Turns a run's tables into numbers: series as arrays, metrics, the tiers of a network."""
