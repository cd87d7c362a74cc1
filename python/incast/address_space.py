"""The address space of the process, where it is limited (``ulimit -v``)."""

from __future__ import annotations

import os
from contextlib import suppress

_SETTINGS = "_RJEM_MALLOC_CONF"
"""Environment variable that the extension's jemalloc reads when the extension is loaded."""
_SPARING = "thp:default,retain:false,narenas:1"
"""Addresses of freed memory go back to the system, and none are kept for pages of 2 MiB."""

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
    """Lets this process take little more of a limited address space than it uses, unless the
    environment says how the extension should manage memory. To be called before that is loaded;
    processes that are started later have the same limit, and the same settings.
    """
    if address_space_limit() is None:
        return
    os.environ.setdefault(_SETTINGS, _SPARING)
    # The C library reserves 64 MiB for each thread that takes memory from it.
    with suppress(AttributeError, OSError):
        import ctypes

        ctypes.CDLL(None).mallopt(_ARENA_MAX, 1)
