"""``python -m incast``."""

from incast.cli import program

if __name__ == "__main__":
    program()
