"""HTML that notebooks show for results: tables, key figures and charts, on light and dark
backgrounds.
"""
