"""Small scenarios that the tests run."""

STAR = """\
[network]
topology = { kind = "star", hosts = 5 }

[cc]
algorithm = "hpcc"
additive_increase = "1Gbps"

[[traffic]]
kind = "incast"
receiver = 4
sizes = "100KB"
stagger = { group = 2, every = "20us" }
"""
"""Four flows to one host: some milliseconds of CPU."""


def hadoop(duration):
    """Hadoop traffic at half load, whose flows start within this time."""
    return f"""\
[network]
topology = "star"

[cc]
algorithm = "hpcc"

[[traffic]]
kind = "poisson"
sizes = "fb-hadoop"
load = 0.5
duration = "{duration}"
"""


ENDLESS = hadoop("10s")
"""More flows than anybody waits for: to be interrupted."""


def as_dict():
    """The star as a program would write it."""
    import tomllib

    return tomllib.loads(STAR)


def hadoop_dict(duration):
    """The same as a program would write it."""
    import tomllib

    return tomllib.loads(hadoop(duration))


FABRIC = {
    "fabric": {"endpoints": 16},
    "control": {"scheme": "none"},
    "work": [{"kind": "all-reduce", "size": "16KiB"}],
}
"""An all-reduce in a memory fabric: some milliseconds of CPU."""

RING = ["ams", "ber", "cph", "dus", "ein"]
"""Switches of the ring in which flows deadlock."""
