"""Lab 1: incast and buffers."""

from checks.answers import Questions, near, same

check = Questions()


@check.add
def longest_queue(answer, run):
    """In KB, the peak of the run's queue."""
    hint = "Sixteen hosts send, and the link takes one host's bytes away meanwhile: equation (1)."
    return near(answer, run.summary["queue_bytes"]["peak"] / 1e3, hint)


@check.add
def last_ack(answer, run):
    """In µs, the largest FCT of the run."""
    hint = "Equation (2) says when the last byte leaves the switch. What comes after that?"
    return near(answer, run["fct_ps"].max() / 1e6, hint)


@check.add
def senders_that_fit(answer, run_of):
    """The most senders without a drop. Runs the number in the answer, and one more."""
    if not isinstance(answer, int) or not 1 <= answer <= 100:
        return "Give a number of hosts."
    if run_of(answer).summary["packets"]["dropped"]:
        return "So many lose packets."
    if not run_of(answer + 1).summary["packets"]["dropped"]:
        return "One more would fit, too."
    return None


@check.add
def timeout(answer, run):
    """In µs: the wait of one sender for its timeout."""
    recovery = run.summary["recovery"]
    hint = "`recovery` has the waiting time of all timeouts together, and their number."
    return near(answer, recovery["timeout_wait_ps"] / recovery["timeouts"] / 1e6, hint)


@check.add
def shortest_queue(answer, runs):
    """The algorithm whose longest queue is the shortest."""
    queues = {cc: run.summary["queue_bytes"]["peak"] for cc, run in runs.items()}
    hint = "Another one has a shorter queue: compare the points at 32 senders."
    return same(answer, min(queues, key=queues.get), queues, hint)
