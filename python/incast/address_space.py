"""Memory management where the address space of the process is limited (``ulimit -v``)."""

from __future__ import annotations

import os

_SETTINGS = "_RJEM_MALLOC_CONF"
"""What jemalloc, in the extension, reads as that is loaded."""
_SPARING = "thp:default,retain:false,narenas:1"
"""Addresses of freed memory go back to the system, and none are kept for pages of 2 MiB."""


def spare_addresses() -> None:
    """Lets the extension take no more of a limited address space than it uses, unless the
    environment says how it should manage memory. To be called before it is loaded; processes that
    are started later have the same limit, and the same settings.
    """
    try:
        import resource
    except ImportError:  # Windows
        return
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit != resource.RLIM_INFINITY:
        os.environ.setdefault(_SETTINGS, _SPARING)
