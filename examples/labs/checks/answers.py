"""How answers are judged: against a run or a formula. A wrong answer gets a hint."""

from collections.abc import Callable
from numbers import Real

Judge = Callable[..., str | None]
"""Takes an answer and the run to compare with. Returns a hint, or None for a right answer."""

SLIPS = {8: "bits and bytes", 1000: "thousands", 1_000_000: "millions", 100: "percent"}
"""Mistakes of units, by the factor between a wrong and a right answer."""


class Questions:
    """The questions of a lab. ``check = Questions()``, then ``check(1, answer, run)``."""

    def __init__(self) -> None:
        self._judges: list[Judge] = []
        self._right: set[int] = set()

    def add(self, judge: Judge) -> Judge:
        """Makes a function the judge of the next question."""
        self._judges.append(judge)
        return judge

    def __call__(self, number: int, answer: object, *given: object) -> None:
        """Prints whether the answer to a question is right."""
        self._right.discard(number)
        if answer is ...:
            print(f"Question {number}: waits for your answer.")
        elif hint := self._judges[number - 1](answer, *given):
            print(f"Question {number}: not yet. {hint}")
        else:
            self._right.add(number)
            print(f"Question {number}: right.")

    def score(self) -> None:
        """Prints how many answers are right."""
        print(f"{len(self._right)} of {len(self._judges)} answers are right.")


def near(answer: object, right: float, hint: str, *, within: float = 0.01) -> str | None:
    """Judges a number, which may be off by the fraction `within` of the right one."""
    if not isinstance(answer, Real) or isinstance(answer, bool):
        return "Give a number, without its unit."
    if _is_near(float(answer), right, within):
        return None
    for factor, confused in SLIPS.items():
        if any(_is_near(float(answer), right * each, within) for each in (factor, 1 / factor)):
            return f"Look at the unit: it seems to be a slip of {confused}."
    return hint


def same(answer: object, right: object, choices: object, hint: str) -> str | None:
    """Judges an answer that is one of the choices."""
    if answer == right:
        return None
    return hint if answer in choices else f"Choose from {', '.join(map(str, choices))}."


def _is_near(answer: float, right: float, within: float) -> bool:
    return abs(answer - right) <= within * abs(right)
