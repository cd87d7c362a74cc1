"""The address space of the process, where it is limited (``ulimit -v``)."""

from __future__ import annotations

import os
from contextlib import suppress

_SETTINGS = "_RJEM_MALLOC_CONF"
"""Environment variable that the extension's jemalloc reads when the extension is loaded."""
_SPARING = "thp:default,retain:false,narenas:1"
"""Returns freed addresses to the system, and reserves none for pages of 2 MiB."""

_ARENA_MAX = -8
"""``M_ARENA_MAX`` of ``mallopt`` in the GNU C library."""


def address_space_limit() -> int | None:
    """The limit of this process's address space, in bytes; ``None`` if it is unlimited."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    return None if limit == resource.RLIM_INFINITY else limit


def spare_addresses() -> None:
    """Keeps the addresses that this process reserves close to those it uses, if its address space
    is limited. Settings of jemalloc in the environment win. Call this before the extension is
    loaded. Child processes inherit the limit and the settings.
    """
    if address_space_limit() is None:
        return
    os.environ.setdefault(_SETTINGS, _SPARING)
    # Otherwise the C library reserves 64 MiB of addresses for each thread that allocates.
    with suppress(AttributeError, OSError):
        import ctypes

        ctypes.CDLL(None).mallopt(_ARENA_MAX, 1)
