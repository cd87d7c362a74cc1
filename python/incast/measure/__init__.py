"""From a run's tables to numbers: series as arrays, metrics, the tiers of a network."""
