"""Journeys of packets, matched in one pass and event by event."""

import incast
import numpy as np
from incast.explain import journeys


def test_cnps_of_switches_follow_from_no_arrival():
    """Under RoCC a switch sends a CNP for a packet; a later CNP of another switch for the same
    packet passes through it.
    """
    scenario = {
        "network": {
            "topology": {"kind": "fat-tree", "k": 4},
            "buffer": {"size": "1MiB"},
            "ack_every": 2,
        },
        "cc": {"algorithm": "rocc"},
        "traffic": [{"kind": "poisson", "sizes": "web-search", "load": 0.7, "duration": "100us"}],
        "run": {"seed": 551},
    }
    found = incast.run(scenario).explain(5)
    events, far_ends = found.events, found.ports
    at_once = journeys.preceding(events, far_ends)
    assert np.array_equal(at_once, journeys.preceding_one_by_one(events, far_ends))
    made = events.are("enqueue") & events.are_of("cnp") & (at_once == -1)
    assert len(set(events.node[made])) > 1
