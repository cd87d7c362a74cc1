"""Colours that readers with any colour vision tell apart."""

from __future__ import annotations

__all__ = ["CATEGORIES_DARK", "CATEGORIES_LIGHT", "RAMP", "SIZE"]

# Okabe and Ito, "Color Universal Design", 2008; strongest contrast first. Left out: yellow, which
# white paper swallows; black takes its place there, and a light grey on dark screens.
CATEGORIES_LIGHT = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#4d4d4d"]
CATEGORIES_DARK = ["#56b4e9", "#ff8a3d", "#2bc596", "#e39cc4", "#e69f00", "#3d9be0", "#c8c8c8"]

SIZE = len(CATEGORIES_LIGHT)

# Cividis (Nuñez, Anderton, Renslow, 2018) at five places, for curves that are many and in order;
# without its ends, which drown in black and in white.
RAMP = ["#2a5783", "#5a6b78", "#7f7c75", "#b09a63", "#d9b93c"]
