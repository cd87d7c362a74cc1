"""Small networks with packet traces."""

from __future__ import annotations

LOSSY = """\
[network]
topology = { kind = "star", hosts = 9 }
flow_control = "none"
buffer = { size = "200KB" }
recovery = { kind = "go-back-n", nack_interval = "5us" }

[cc]
algorithm = "hpcc"

[[traffic]]
kind = "incast"
senders = "1-8"
receiver = 0
sizes = "60500B"

[measure]
packets = true
"""

PAUSED = """\
[network]
topology = { kind = "leaf-spine", leaves = 2, spines = 2, hosts_per_leaf = 4 }
buffer = { size = "500KB" }

[cc]
algorithm = "none"

[[traffic]]
kind = "incast"
senders = "4-6"
receiver = 0
sizes = "200KB"

[[traffic]]
kind = "incast"
senders = "2-3"
receiver = 0
sizes = "100KB"

[[traffic]]
name = "victim"
kind = "flows"
flows = [{ source = 7, destination = 1, size = "200KB" }]

[measure]
packets = true
"""
"""PFC pauses that spread to a flow which shares no full link."""

TRIMMED = """\
[network]
topology = { kind = "star", hosts = 9 }
flow_control = "none"
drop = { queue_limit = "1bdp", trimming = { header = "64B" } }
recovery = { kind = "selective" }

[cc]
algorithm = "dctcp"

[[traffic]]
kind = "incast"
senders = "1-8"
receiver = 0
sizes = "60KB"

[measure]
packets = true
"""

SELECTIVE = """\
[network]
topology = { kind = "star", hosts = 9 }
flow_control = "none"
buffer = { size = "100KB" }
recovery = { kind = "selective" }

[cc]
algorithm = "dctcp"

[[traffic]]
kind = "incast"
senders = "1-8"
receiver = 0
sizes = "40KB"

[measure]
packets = true
"""
"""Many ACKs with the same sequence number: that of the first missing packet."""

LINK_FAILS = """\
[network]
topology = { kind = "leaf-spine", leaves = 3, spines = 2, hosts_per_leaf = 3 }

[cc]
algorithm = "hpcc"

[[traffic]]
kind = "permutation"
sizes = "200KB"

[[fault]]
kind = "down"
between = ["leaf 1", "spine 1"]
from = "6us"
until = "30us"

[run]
stop = "100us"

[measure]
packets = true
"""


def one_packet(senders=(0,), size="1KB"):
    """One flow of each sender to host 1 through switch 3, all at the same time; a size of 1 KB is
    one packet.
    """
    flows = [{"source": sender, "destination": 1, "size": size} for sender in senders]
    return {
        "network": {"topology": {"kind": "star", "hosts": 3}},
        "cc": {"algorithm": "none"},
        "traffic": [{"kind": "flows", "flows": flows}],
        "measure": {"packets": True},
    }
