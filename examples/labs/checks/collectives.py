"""Lab 4: collectives and ECMP."""

from checks.answers import Questions, near, same

check = Questions()


@check.add
def ring(answer, run):
    """In µs: the time of the run's ring."""
    hint = "Fourteen steps. ACKs of other data take their part of every link, and each step 2 µs."
    return near(answer, run.collectives["time_ps"][0] / 1e6, hint)


@check.add
def bus_bandwidth(answer, run):
    """In Gb/s: the bus bandwidth of the run."""
    hint = "Data over time, times 2 (n − 1) / n: equation (2)."
    return near(answer, run.collectives["bus_bandwidth_bps"][0] / 1e9, hint)


@check.add
def no_collision(answer):
    """The probability that three flows take three of four paths."""
    right = (4 / 4) * (3 / 4) * (2 / 4)
    return near(answer, right, "The first flow takes any path, the second one of three. And so on.")


@check.add
def busiest(answer, run):
    """Flows on the uplink that has the most."""
    ports = run.ports
    up = [" → spine" in label for label in ports["label"]]
    right = round(ports["data_bytes"][up].max() / (1.048 * run["size_bytes"][0]))
    hint = "Divide the bytes of the busiest port from leaf 0 to a spine by those of one flow."
    return near(answer, right, hint)


@check.add
def best_balancer(answer, runs):
    """The balancer under which the slowest flow is the fastest."""
    slowest = {name: run["slowdown"].max() for name, run in runs.items()}
    hint = "Under another one the slowest flow is faster."
    return same(answer, min(slowest, key=slowest.get), slowest, hint)
