"""Lab 2: fairness."""

import numpy as np

from checks.answers import Questions, near, same

check = Questions()


def jain(rates):
    """Jain's index."""
    rates = np.array(rates)
    return rates.sum() ** 2 / (len(rates) * (rates**2).sum())


@check.add
def three_rates(answer):
    """Jain's index of 50, 25 and 25 Gb/s."""
    hint = "The square of the sum, over three times the sum of the squares: equation (1)."
    return near(answer, jain([50, 25, 25]), hint, within=0.002)


@check.add
def least(answer):
    """The least index of four flows: one flow has the whole link."""
    hint = "The worst case for three flows is that two of them get nothing. And for four?"
    return near(answer, jain([1, 0, 0, 0]), hint)


@check.add
def cuts(answer):
    """Cuts by half until a gap of 60 Gb/s is below 5."""
    gap, count = 60.0, 0
    while gap >= 5:
        gap, count = gap / 2, count + 1
    return near(answer, count, "Halve the gap between the two, step by step.")


@check.add
def fairest(answer, runs):
    """The algorithm with the largest mean of the index."""
    means = {cc: run.summary["jain_index"]["mean"] for cc, run in runs.items()}
    return same(answer, max(means, key=means.get), means, "Another curve is higher, on average.")


@check.add
def until_fair(answer, run):
    """In µs: from the start of the second flow to an index of 0.95."""
    series = run.series
    times = series["time_ps"][series["measure"] == "jain_index"]
    index = series["value"][series["measure"] == "jain_index"]
    second = np.sort(run["start_ps"])[1]
    first = times[(times > second) & (index >= 0.95)][0]
    hint = "Only samples after the second flow's start count, and the time counts from there."
    return near(answer, (first - second) / 1e6, hint, within=0.03)
