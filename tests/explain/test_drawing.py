"""The network of a flow as a drawing: its path, and where the flow waited."""

import json

import incast
from incast.explain.drawing import path_drawing, waits

PACKET = 83_840
SCENARIO = {
    "network": {"topology": {"kind": "star", "hosts": 3}},
    "cc": {"algorithm": "none"},
    "traffic": [
        {"kind": "flows", "flows": [{"source": sender, "destination": 0, "size": "10KB"}]}
        for sender in (1, 2)
    ],
}
"""Two flows over one link: packets of both arrive at once, and leave in turn."""


def drawn(found):
    """The values of each quantity that are not 0, by port."""
    data = json.loads(path_drawing(found).data)
    places = [
        (data["names"][node], number)
        for node, number in zip(data["links"], data["ports"], strict=True)
    ]
    values = {
        name: {place: value * scale for place, value in zip(places, numbers, strict=True) if value}
        for name, _, _, scale, numbers in data["quantities"]
    }
    return {places[port] for port in data["path"]}, values


def test_a_flow_waits_at_the_port_that_it_shares():
    """The last of ten packets of flow 0 waits for nine: 754,560 ps. When it arrives, one of the
    nine begins to leave, and eight wait.
    """
    found = incast.run(SCENARIO).explain(0)
    port = ("switch 3", 0)
    assert waits(found) == {(3, 0): 9 * PACKET}
    path, values = drawn(found)
    assert path == {("host 1", 0), port}
    assert values == {
        "wait in its FCT": {port: 754.6e-9},
        "longest queue it came to": {port: 8 * 1048},
        "its data packets": {("host 1", 0): 10, port: 10},
    }


def test_the_drawing_has_all_waits_of_the_table():
    """With pauses and a shared NIC, the sums by port equal those of the parts."""
    scenario = SCENARIO | {
        "network": {
            "topology": {"kind": "leaf-spine", "leaves": 2, "spines": 1, "hosts_per_leaf": 4},
            "buffer": {"size": "400KB"},
        },
        "traffic": [
            {"kind": "incast", "senders": "4-7", "receiver": 0, "sizes": "200KB"},
            {"kind": "incast", "senders": "4-5", "receiver": 1, "sizes": "100KB"},
        ],
    }
    found = incast.run(scenario).explain(0)
    of_parts = {}
    for part in found.parts:
        if part.port is not None:
            of_parts[part.port] = of_parts.get(part.port, 0) + part.ps
    assert {found.ports[place].label: ps for place, ps in waits(found).items()} == of_parts
    assert {part.part for part in found.parts} >= {"queue", "pause", "nic"}
