"""``python -m incast``."""

from incast.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
