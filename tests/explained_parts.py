"""Sums of explanations, to be compared with the sums of a run."""

from collections import Counter

_AT_NIC = {"pause": "nic_paused", "idle": "nic"}
"""The parts in which a packet waits for the NIC of the sender."""


def summed(explanation):
    """Sums the spans of an explanation as a run sums them: apart for the time before the last
    packet left its sender, and for the time after.
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
