"""What notebooks show of results: tables, key figures and charts as HTML, on light and on dark."""
