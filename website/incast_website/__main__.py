"""`python -m incast_website`: builds the site into `target/website`."""

from __future__ import annotations

import logging
import sys

from mkdocs.exceptions import Abort, MkDocsException

from incast_website.build import build
from incast_website.fences import RawFenceError
from incast_website.links import BrokenLinkError
from incast_website.offline import NotOfflineError
from incast_website.repository import ROOT

_SITE = ROOT / "target/website"


def main() -> int:
    """Builds the site, and prints its path, or what is wrong with it."""
    logging.basicConfig(format="%(levelname)s: %(message)s", level=logging.WARNING)
    try:
        build(ROOT / "target/website-pages", _SITE)
    except (Abort, BrokenLinkError, MkDocsException, NotOfflineError, RawFenceError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(f"{(_SITE / 'index.html').relative_to(ROOT)}: open it in a browser")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
