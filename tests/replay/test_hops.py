"""Packets of a replay, compared with times computed by hand, and queues, compared with the trace.

Links have 100 Gb/s and 1 us of delay. A packet with 1000 B of payload has 1048 B and takes 83,840
ps to leave; an ACK of 60 B takes 4,800 ps.
"""

import tomllib

import incast
import pytest
from incast.replay.hops import FRAMES, hops_of
from incast.replay.scene import scene_of
from incast.replay.window import Window
from replayed import LINK_FAILS, LOSSY, PAUSED, SELECTIVE, TRIMMED, one_packet

PACKET, ACK, DELAY = 83_840, 4_800, 1_000_000


def whole(results):
    return hops_of(results, 0, results.summary["simulated_ps"])


def test_a_packet_and_its_ack_at_each_of_their_ports():
    """The packet leaves host 0 at 0. Its last bit is at the switch at 1,083,840 ps, where it leaves
    at once, and at host 1 at 2,167,680 ps. The ACK leaves at once, and is at the switch at
    3,172,480 ps and at host 0 at 4,177,280 ps.
    """
    found = [
        (hop.place[0], hop.kind, hop.since, hop.leaves, hop.out, hop.arrives, hop.fate)
        for hop in whole(incast.run(one_packet())).every
    ]
    assert found == [
        (0, "data", 0, 0, PACKET, 1_083_840, "arrives"),
        (3, "data", 1_083_840, 1_083_840, 1_167_680, 2_167_680, "arrives"),
        (1, "ack", 2_167_680, 2_167_680, 2_172_480, 3_172_480, "arrives"),
        (3, "ack", 3_172_480, 3_172_480, 3_177_280, 4_177_280, "arrives"),
    ]


def test_two_senders_meet_at_one_port():
    """Both packets are at the switch at 1,083,840 ps. One leaves at once; the other waits until
    1,167,680 ps, when the first is out. So 1048 B wait for 83,840 ps.
    """
    results = incast.run(one_packet(senders=(0, 2)))
    waited = [hop for hop in whole(results).every if hop.since != hop.leaves]
    assert [(hop.place[0], hop.since, hop.leaves) for hop in waited] == [(3, 1_083_840, 1_167_680)]
    scene = scene_of(results, Window(1_000_000, 2_000_000, False, 0))
    ((times, sizes),) = scene.queues.values()
    assert times.tolist() == [1_000_000, 1_083_840, 1_167_680, 2_000_000]
    assert sizes.tolist() == [0, 1048, 0, 0]
    place, time, size = scene.longest
    assert (scene.ports[place].label, time, size) == ("switch 3 port 1 → host 1", 1_083_840, 1048)


@pytest.mark.parametrize("scenario", [LOSSY, PAUSED, SELECTIVE, TRIMMED, LINK_FAILS])
@pytest.mark.parametrize("part", [(0, 1), (0.2, 0.6)])
def test_what_waits_is_what_the_trace_says(scenario, part):
    """After all events of a port at one time, the waiting bytes equal those of the last event: its
    queue, plus the packet itself if it was enqueued.
    """
    results = incast.run(tomllib.loads(scenario))
    begin, end = (round(share * results.summary["simulated_ps"]) for share in part)
    found = hops_of(results, begin, end)
    trace = results.packets
    names = ("time_ps", "node", "port", "event", "kind", "queue_bytes", "wire_bytes")
    last = {}
    for time, node, port, event, kind, queue, wire in zip(
        *map(trace.__getitem__, names), strict=True
    ):
        if begin <= time <= end and event not in ("receive", "lose") and kind not in FRAMES:
            last[int(node), int(port), int(time)] = int(queue) + int(wire) * (event == "enqueue")
    by_place = {}
    for hop in found.every:
        if hop.is_queued:
            by_place.setdefault(hop.place, []).append(hop)
    for (node, port, time), expected in last.items():
        waiting = sum(
            hop.wire
            for hop in by_place[node, port]
            if (hop.since is None or hop.since <= time)
            and (hop.leaves is None or hop.leaves > time)
        )
        assert waiting + found.rests.get((node, port), 0) == expected
    assert len(last) > 100


def test_fates_are_those_of_the_summary():
    for scenario, fate, count in (
        (LOSSY, "dropped", lambda summary: summary["packets"]["dropped"]),
        (TRIMMED, "trimmed", lambda summary: summary["packets"]["trimming"]["trimmed"]),
        (LINK_FAILS, "lost", lambda summary: summary["faults"]["lost_link_down"]),
    ):
        results = incast.run(tomllib.loads(scenario))
        found = [hop.fate for hop in whole(results).every].count(fate)
        assert found == count(results.summary) > 0


def test_every_link_delays_all_of_its_packets_as_long():
    results = incast.run(tomllib.loads(PAUSED))
    every = whole(results).every
    assert {hop.arrives - hop.out for hop in every} == {DELAY}
    # Links between switches have 400 Gb/s.
    assert {hop.out - hop.leaves for hop in every if hop.kind == "data"} == {PACKET, PACKET // 4}


def test_acks_that_are_alike_are_told_apart():
    """The trace begins while ACKs with one sequence number are on a link. None is taken for a later
    one: each packet was on its link for 1 us, at any time of the run.
    """
    results = incast.run(tomllib.loads(SELECTIVE))
    whole_run = [hop for hop in whole(results).every if hop.arrives is not None]
    begin, end = (round(share * results.summary["simulated_ps"]) for share in (0.3, 0.6))
    part = [hop for hop in hops_of(results, begin, end).every if hop.arrives is not None]
    assert {hop.arrives - hop.out for hop in part} == {DELAY}

    def on_links(hops):
        times = [
            (hop.place, hop.kind, hop.flow, hop.sequence, hop.leaves, hop.arrives)
            for hop in hops
            if hop.leaves <= end and hop.arrives >= begin
        ]
        return sorted(times)

    assert on_links(part) == on_links(whole_run)


def test_packets_on_links_at_the_ends_of_a_trace_are_whole():
    """Two packets, traced from 50,000 to 4,200,000 ps. The first left before, and the ACK of the
    second arrives after. Both times follow from the other packet on the same link.
    """
    scenario = one_packet(size="2KB") | {
        "measure": {"packets": {"from": "50ns", "until": "4200ns"}}
    }
    found = hops_of(incast.run(scenario), 50_000, 4_200_000).every
    assert [(hop.place[0], hop.leaves, hop.arrives) for hop in found] == [
        (0, 0, 1_083_840),
        (0, 83_840, 1_167_680),
        (3, 1_083_840, 2_167_680),
        (3, 1_167_680, 2_251_520),
        (1, 2_167_680, 3_172_480),
        (1, 2_251_520, 3_256_320),
        (3, 3_172_480, 4_177_280),
        (3, 3_256_320, 4_261_120),
    ]


def test_a_packet_is_lost_where_it_is_as_its_link_goes_down():
    """The link goes down at 6 us: packets on the link are lost at that time, later packets when
    they leave.
    """
    results = incast.run(tomllib.loads(LINK_FAILS))
    scene = scene_of(results, Window(0, 40_000_000, False, 0))
    lost = [(hop.leaves, scene.lost_at(hop)) for hop in scene.hops if hop.fate == "lost"]
    early = [time for left, time in lost if left < 6_000_000]
    late = [(left, time) for left, time in lost if left >= 6_000_000]
    assert set(early) == {6_000_000}
    assert len(late) > 10
    assert all(left == time for left, time in late)
