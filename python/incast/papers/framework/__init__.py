"""What all papers share: claims, the campaign of runs, the scoreboard, panels, pages."""
