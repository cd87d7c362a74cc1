"""Colours that readers with any colour vision can distinguish: for figures, pages and notebooks."""

from __future__ import annotations

__all__ = [
    "CATEGORIES_DARK",
    "CATEGORIES_LIGHT",
    "CATEGORIES_ON_EITHER",
    "RAMP_DARK",
    "RAMP_LIGHT",
    "SIZE",
    "style_sheet",
    "variables",
]

# Okabe and Ito, "Color Universal Design", 2008, with the strongest contrast first. Yellow is left
# out, as it is hard to see on white. Black takes its place, or light grey on dark screens.
CATEGORIES_LIGHT = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#4d4d4d"]
CATEGORIES_DARK = ["#56b4e9", "#ff8a3d", "#2bc596", "#e39cc4", "#e69f00", "#3d9be0", "#c8c8c8"]

CATEGORIES_ON_EITHER = [*CATEGORIES_LIGHT[:-1], "#8d8d8d"]
"""Colours for an unknown background, light or dark, as in a notebook."""

SIZE = len(CATEGORIES_LIGHT)

# Five colours of Viridis (Smith and van der Walt, 2015), for many curves in a natural order. On
# white it has no yellow end, on black no violet end.
RAMP_LIGHT = ["#440154", "#414487", "#2a788e", "#22a884", "#5ec962"]
RAMP_DARK = ["#3f6fa3", "#25848e", "#22a884", "#7ad151", "#fde725"]


def variables(colours: list[str]) -> str:
    """CSS declarations of these colours: ``--colour-0`` and so on."""
    return " ".join(f"--colour-{number}: {colour};" for number, colour in enumerate(colours))


def style_sheet() -> str:
    """CSS variables of the categories, for light and dark screens."""
    light, dark = variables(CATEGORIES_LIGHT), variables(CATEGORIES_DARK)
    return (
        f":root, .light {{ {light} }}\n"
        f"@media screen and (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}\n"
    )
