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
"""Four flows to one host; takes some milliseconds of CPU."""


def hadoop(duration):
    """Hadoop traffic at half load, whose flows start within the duration."""
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
"""Far too many flows to wait for: a run to interrupt."""


def as_dict():
    """The star as a dict."""
    import tomllib

    return tomllib.loads(STAR)


def hadoop_dict(duration):
    """The Hadoop traffic as a dict."""
    import tomllib

    return tomllib.loads(hadoop(duration))


FABRIC = {
    "fabric": {"endpoints": 16},
    "control": {"scheme": "none"},
    "work": [{"kind": "all-reduce", "size": "16KiB"}],
}
"""An all-reduce in a memory fabric; takes some milliseconds of CPU."""

RING = ["ams", "ber", "cph", "dus", "ein"]
"""Switches of the ring in which flows deadlock."""


def ring_file(folder, switches, *, delay="1us", beside=()):
    """Writes a network of switches s0, s1, … in a ring, with a host at each; the hosts `beside` are
    at s0.
    """
    hosts = [f"h{number}" for number in range(switches)]
    links = [f"link {host} s{number} 100Gbps {delay}" for number, host in enumerate(hosts)]
    links += [f"link s{n} s{(n + 1) % switches} 100Gbps {delay}" for n in range(switches)]
    links += [f"link {host} s0 100Gbps {delay}" for host in beside]
    names = " ".join(f"s{number}" for number in range(switches))
    lines = [f"hosts {' '.join([*hosts, *beside])}", f"switches {names}", *links]
    file = folder / "ring.graph"
    file.write_text("\n".join(lines) + "\n")
    return str(file)


def ring(folder):
    """Writes a scenario of five switches in a ring, each with two hosts that send to the switch
    after the next.
    """
    hosts = [f"{name}-{which}" for name in RING for which in "ab"]
    links = [f"link {host} {host[:3]} 100Gbps 1us" for host in hosts]
    links += [
        f"link {name} {after} 100Gbps 1us"
        for name, after in zip(RING, [*RING[1:], RING[0]], strict=True)
    ]
    lines = ["hosts " + " ".join(hosts), "switches " + " ".join(RING), *links]
    (folder / "ring.graph").write_text("\n".join(lines) + "\n")
    flows = [
        {"source": n, "destination": (n + 4) % 10, "size": "20MB", "start": "0s"} for n in range(10)
    ]
    short = {"source": 0, "destination": 1, "size": "1KB", "start": "0s"}
    return {
        "run": {"name": "ring"},
        "network": {
            "topology": {"file": str(folder / "ring.graph"), "format": "graph"},
            "buffer": {"size": "520KB"},
        },
        "cc": {"algorithm": "rocc"},
        "traffic": [{"kind": "flows", "flows": [*flows, short]}],
    }
