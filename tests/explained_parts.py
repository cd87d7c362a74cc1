"""What explanations say, as runs sum it up."""

from collections import Counter

_AT_NIC = {"pause": "nic_paused", "idle": "nic"}
"""Waits for the NIC of the sender."""


def summed(explanation):
    """The spans of an explanation as a run sums them up: those up to the last packet, and those
    after it.
    """
    left = next(span.start for span in explanation.spans if span.part == "way")
    sums = Counter()
    for span in explanation.spans:
        if span.start >= left:
            sums["way" if span.part == "way" else "last_waits"] += span.ps
        elif span.in_window or span.part == "window":
            sums["full_window"] += span.ps
        else:
            sums[_AT_NIC.get(span.part, span.part)] += span.ps
    return sums
