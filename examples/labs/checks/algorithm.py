"""Lab 5: an algorithm of your own."""

from checks.answers import Questions, near, same

check = Questions()

PAYLOAD_SHARE = 1000 / 1048
"""The share of payload in the bytes of a data packet."""


@check.add
def threshold(answer, run):
    """In KB: the least threshold that keeps the link busy when windows are cut by a fifth."""
    hint = "The window after the cut has to be a BDP: solve equation (2) for K."
    return near(answer, 0.2 / 0.8 * run.summary["bdp_bytes"] / 1e3, hint, within=0.02)


@check.add
def short_queue(_file, run):
    """Its p99 stays near the threshold of 60 KB."""
    queue = run.summary["queue_bytes"]["p99"] / 1e3
    if queue <= 1.5 * 60:
        return None
    return f"The queue's p99 is {queue:.0f} KB, far above the threshold: what does a mark do?"


@check.add
def busy_link(file, run):
    """The link is busy while the queue is short."""
    if hint := short_queue(file, run):
        return hint
    end = (run["start_ps"] + run["fct_ps"]).max() / 1e12
    share = 8 * run["size_bytes"].sum() / end / (100e9 * PAYLOAD_SHARE)
    if share >= 0.97:
        return None
    return f"The link is used to {100 * share:.0f} %: are windows cut once per round trip, by β?"


@check.add
def fair(_file, run):
    """Two flows come to share the link."""
    index = run.summary["jain_index"]["mean"]
    if index >= 0.9:
        return None
    return f"The mean of Jain's index is {index:.2f}: does the larger window give up more?"


@check.add
def beta(answer, runs):
    """The β with the shorter queue, on average."""
    queues = {each: run.summary["queue_bytes"]["mean"] for each, run in runs.items()}
    if len(set(queues.values())) < len(queues):
        return "Your algorithm does the same with every β."
    return same(answer, min(queues, key=queues.get), queues, "Look at the means again.")
