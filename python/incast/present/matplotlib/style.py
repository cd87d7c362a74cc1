"""Style of charts for papers."""

from __future__ import annotations

from typing import Any

__all__ = ["COLUMN_INCHES", "STYLE"]

COLUMN_INCHES = (3.4, 2.2)
"""Width and height: the width is between the columns of ACM (3.33 in) and IEEE (3.5 in)."""

STYLE: dict[str, Any] = {
    "axes.axisbelow": True,
    "axes.grid": True,
    "axes.labelsize": 8,
    "axes.linewidth": 0.6,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "figure.dpi": 300,
    "figure.figsize": COLUMN_INCHES,
    "font.family": "sans-serif",
    "font.size": 8,
    "grid.color": "#d9d9d9",
    "grid.linewidth": 0.4,
    "legend.fontsize": 7,
    "legend.frameon": False,
    "legend.handlelength": 1.8,
    "lines.linewidth": 1.1,
    "lines.markersize": 3,
    "savefig.bbox": "tight",
    "savefig.dpi": 300,
    "savefig.pad_inches": 0.02,
    # Text stays text, so that a paper's fonts and search apply; equal input gives equal files.
    # Dollar signs and underscores in names of runs are printed as they are, without LaTeX.
    "text.parse_math": False,
    "text.usetex": False,
    "svg.fonttype": "none",
    "svg.hashsalt": "incast",
    "xtick.labelsize": 7,
    "xtick.major.width": 0.6,
    "ytick.labelsize": 7,
    "ytick.major.width": 0.6,
}
