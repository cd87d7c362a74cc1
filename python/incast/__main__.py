"""``python -m incast``."""

from incast_program import program

if __name__ == "__main__":
    program()
