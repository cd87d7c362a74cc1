"""Results for readers: key figures in words, terminal listings, charts, matplotlib, HTML."""
