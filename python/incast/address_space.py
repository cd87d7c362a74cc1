"""How the extension manages memory, and the address space where it is limited (``ulimit -v``)."""

from __future__ import annotations

import os
import sys
from contextlib import suppress

_SETTINGS = {"MIMALLOC_PURGE_DELAY": "10"}
"""Environment variables that the extension's mimalloc reads as the extension is loaded: free memory
goes back to the system after 10 ms. With mimalloc's default, 1,000 ms, a run that writes rows to
the disk takes 1.5 times as much memory."""
_SPARING = {"MIMALLOC_DISALLOW_ARENA_ALLOC": "1"}
"""mimalloc reserves addresses as it needs them, not 1 GiB at a time."""

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


def manage_memory() -> None:
    """Sets how the extension manages memory on Linux, if the environment does not say so. Under a
    limited address space this process then takes little more of it than it uses. To be called
    before the extension is loaded. The settings also hold for other libraries with a mimalloc of
    their own, such as pyarrow's, and for processes that are started later.
    """
    if sys.platform != "linux":
        return
    limited = address_space_limit() is not None
    for name, value in (_SETTINGS | (_SPARING if limited else {})).items():
        os.environ.setdefault(name, value)
    if not limited:
        return
    # The C library reserves 64 MiB for each thread that takes memory from it.
    with suppress(AttributeError, OSError):
        import ctypes

        ctypes.CDLL(None).mallopt(_ARENA_MAX, 1)
