"""The parts that all papers share: claims, plans of runs, scoreboards, panels, pages."""
