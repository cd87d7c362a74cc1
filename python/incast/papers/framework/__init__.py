"""Shared by all papers: claims, the plan of runs, the scoreboard, panels, pages."""
