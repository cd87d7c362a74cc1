"""Shared by all papers: claims, the campaign of runs, the scoreboard, panels, pages."""
