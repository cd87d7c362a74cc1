"""Lab 3: PFC and its victims."""

from checks.answers import Questions, near, same

check = Questions()


@check.add
def headroom(answer):
    """In KB, for 400 Gb/s and 2 µs."""
    right = (2 * 2e-6 * 400e9 / 8 + 2 * 1048) / 1e3
    hint = "What is on the wire in one direction during a round trip? Equation (1)."
    return near(answer, right, hint, within=0.02)


@check.add
def alone(answer, run):
    """In µs: the victim's FCT in a run without the other flows."""
    hint = "Bytes on the wire over the rate, and a base round trip until the last ACK is there."
    return near(answer, run["fct_ps"][0] / 1e6, hint, within=0.02)


@check.add
def paused_hosts(answer, run):
    """The hosts whose links were paused."""
    if not isinstance(answer, set | list | tuple):
        return "Give a set of hosts, such as {4, 5}."
    ports = run.ports
    paused = {int(node) for node in ports["node"][ports["paused_ps"] > 0]}
    hosts = set(range(run.summary["hosts"]))
    hint = "A column of `run.ports` has the time for which a port was paused."
    return None if set(answer) == paused & hosts else hint


@check.add
def time_paused(answer, run):
    """In µs: for how long the victim's link was paused."""
    ports = run.ports
    right = ports["paused_ps"][ports["node"] == 2].sum() / 1e6
    return near(answer, right, "Look at the port of host 2.")


@check.add
def no_remedy(answer, runs):
    """The change that leaves the victim slow."""
    slowdowns = {name: run["slowdown"][run["source"] == 2][0] for name, run in runs.items()}
    hint = "With this change the victim is nearly as fast as alone."
    return same(answer, max(slowdowns, key=slowdowns.get), slowdowns, hint)
