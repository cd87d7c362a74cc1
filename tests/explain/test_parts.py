"""Parts of FCTs, compared with times computed by hand.

Links have 100 Gb/s and 1 us of delay. A packet with 1000 B of payload has 1048 B and takes 83,840
ps to leave; an ACK of 60 B takes 4,800 ps. Through one switch, a packet and its ACK take

    2 · (83,840 + 1,000,000) + 2 · (4,800 + 1,000,000) = 4,177,280 ps.
"""

from fractions import Fraction

import incast
import pytest
from incast.explain.company import AtPort, Met
from incast.explain.parts import Behind
from incast.explain.shares import equal_shares, pace_of_window
from incast.measure.ports import Port

PACKET, ACK, WAY = 83_840, 4_800, 4_177_280
US = 1_000_000


def star(cc="none", hosts=3, **sections):
    network = {"topology": {"kind": "star", "hosts": hosts}, **sections.pop("network", {})}
    return {"network": network, "cc": {"algorithm": cc}, **sections}


def flows(*rows):
    """One traffic entry for each row of sender, receiver, size and start."""
    names = ("source", "destination", "size", "start")
    return [{"kind": "flows", "flows": [dict(zip(names, row, strict=True))]} for row in rows]


def parts(explanation):
    return {(part.part, part.port): part.ps for part in explanation.parts}


def explained(scenario, *which):
    results = incast.run(scenario)
    found = results.explain(*which)
    for each in found if isinstance(found, list) else [found]:
        assert sum(part.ps for part in each.parts) == each.fct_ps
    return found


def test_a_flow_alone_sends_and_its_last_packet_is_on_its_way():
    found = explained(star(traffic=flows((1, 0, "10KB", "0s"))))
    assert parts(found) == {("sending", None): 9 * PACKET, ("way", None): WAY}
    assert found.fct_ps == 9 * PACKET + WAY
    assert not found.company


def test_two_flows_on_one_link_wait_for_each_other():
    """Packets of both flows arrive at once and leave in turn, host 1 first. The last of ten packets
    of host 1 waits for 9 packets, of which 5 are of host 2. The last packet of host 2 waits for 10,
    5 of each host.
    """
    one, two = explained(star(traffic=flows((1, 0, "10KB", "0s"), (2, 0, "10KB", "0s"))), 0, 1)
    port = "switch 3 port 0 → host 0"
    common = {("sending", None): 9 * PACKET, ("way", None): WAY}
    assert parts(one) == common | {("queue", port): 9 * PACKET}
    assert parts(two) == common | {("queue", port): 10 * PACKET}
    of_one, of_two = (
        next(part.behind for part in found.parts if part.part == "queue") for found in (one, two)
    )
    assert list(of_one) == [Behind(1, True, 5 * PACKET), Behind(0, True, 4 * PACKET)]
    assert sorted(of_two, key=lambda each: each.flow) == [
        Behind(0, True, 5 * PACKET),
        Behind(1, True, 5 * PACKET),
    ]
    (at_port,) = one.company
    assert at_port.port.label == port
    # From the first packet of host 1 to its last, 19 packets leave: 10 of its own and 9 of host 2.
    assert [(other.flow, other.wire_bytes) for other in at_port.others] == [(1, 9 * 1048)]
    assert at_port.share == 10 / 19
    assert at_port.utilisation == pytest.approx(1)
    # Only the flow of host 1 is there while the first and the last packet leave.
    assert at_port.equal_share == pytest.approx((2 * 1 + 17 * 0.5) / 19)


def test_flows_of_one_nic_take_turns():
    """Flow 0 leaves first, then in turn with the other flow. Before its tenth packet leaves, nine
    packets of the other flow have left.
    """
    one, _ = explained(star(traffic=flows((1, 0, "10KB", "0s"), (1, 2, "10KB", "0s"))), 0, 1)
    nic = "host 1 port 0 → switch 3"
    assert parts(one) == {
        ("sending", None): 9 * PACKET,
        ("nic", nic): 9 * PACKET,
        ("way", None): WAY,
    }
    assert [part.behind for part in one.parts if part.part == "nic"] == [
        [Behind(1, True, 9 * PACKET)]
    ]


WINDOW = """
from incast.algorithm import Algorithm, SendLimit

class OnePacket(Algorithm):
    def on_ack(self, now_ps, ack):
        pass

    def limit(self):
        return SendLimit(window_bytes=1000)
"""


@pytest.fixture
def one_packet(tmp_path):
    """An algorithm with one packet in flight."""
    (tmp_path / "one_packet.py").write_text(WINDOW)
    return str(tmp_path / "one_packet.py")


def test_a_full_window_waits_for_a_round_trip(one_packet):
    """Of three packets, two wait for the ACK of the packet before: a round trip less the time in
    which that packet leaves.
    """
    found = explained(star(one_packet, traffic=flows((1, 0, "3KB", "0s"))))
    assert parts(found) == {
        ("sending", None): 2 * PACKET,
        ("window", None): 2 * (WAY - PACKET),
        ("way", None): WAY,
    }


def test_the_queue_of_a_round_trip_is_told_apart(one_packet):
    """The first packet of host 2 comes together with the first of host 1, which leaves before it.
    So the packet waits for one packet's time, and its sender with a full window for the ACK. When
    the second packet of host 2 comes, the ten of host 1 have left.
    """
    traffic = flows((2, 0, "2KB", "0s"), (1, 0, "10KB", "0s"))
    traffic[1]["cc"] = {"algorithm": "none"}
    found = explained(star(one_packet, traffic=traffic), 0)
    port = "switch 3 port 0 → host 0"
    assert parts(found) == {
        ("sending", None): PACKET,
        ("window", None): WAY - PACKET,
        ("queue", port): PACKET,
        ("way", None): WAY,
    }
    queue = next(part for part in found.parts if part.part == "queue")
    assert queue.in_window_ps == PACKET
    assert list(queue.behind) == [Behind(1, True, PACKET)]


def test_a_lost_packet_waits_for_its_timeout():
    """The link is down when the only packet leaves; the packet is sent again after 100 us."""
    scenario = star(
        network={"flow_control": "none", "recovery": {"timeout": "100us"}},
        fault=[{"kind": "down", "links": ["host 1"], "from": "0s", "until": "50us"}],
        traffic=flows((1, 0, "1KB", "10us")),
    )
    found = explained(scenario)
    assert parts(found) == {
        ("sending", None): PACKET,
        ("timeout", None): 100 * US - PACKET,
        ("way", None): WAY,
    }


def test_a_victim_is_paused_two_hops_from_the_queue_at_fault():
    """Hosts 1 and 4 send 16 MB in all to host 5. Leaf 1 pauses the spine, the spine pauses leaf 0,
    and leaf 0 pauses its hosts. The victim from host 1 to host 6 shares only its NIC's queue and
    its path with these flows. It waits for pauses that began at the port to host 5.
    """
    scenario = {
        "network": {
            "topology": {
                "kind": "leaf-spine",
                "leaves": 2,
                "spines": 1,
                "hosts_per_leaf": 4,
                "spine_rate": "100Gbps",
            },
            "buffer": {"size": "600KiB"},
        },
        "cc": {"algorithm": "none"},
        "traffic": flows(
            (1, 5, "8MB", "0s"), (2, 5, "8MB", "0s"), (4, 5, "8MB", "0s"), (0, 6, "1MB", "20us")
        ),
    }
    results = incast.run(scenario)
    found = results.explain(3)
    assert sum(part.ps for part in found.parts) == found.fct_ps
    paused = [part for part in found.parts if part.part == "pause"]
    assert sum(part.ps for part in paused) > found.fct_ps / 2
    for part in paused:
        assert {began.port for began in part.began} == {"leaf 1 port 1 → host 5"}
        assert sum(began.ps for began in part.began) == part.ps
        assert {began.flow for began in part.began} <= {0, 1}


def test_a_port_is_held_after_a_fault_until_its_peer_has_told():
    """The link of host 1 is down until 40 us. Then the switch's PFC frame leaves at once. With 64 B
    at 100 Gb/s and 1 us of delay it arrives at 41,005,120 ps. The packet on the link at 40 us, the
    478th of 83,840 ps, had left at 40,075,520 ps. No flow is to blame for the time between.
    """
    results = incast.run(
        {
            "network": {"topology": {"kind": "star", "hosts": 3}, "flow_control": "pfc"},
            "cc": {"algorithm": "none"},
            "traffic": flows((1, 0, "1MB", "0s")),
            "fault": [{"kind": "down", "links": ["host 1"], "from": "5us", "until": "40us"}],
        }
    )
    found = results.explain(0)
    (paused,) = (part for part in found.parts if part.part == "pause")
    (began,) = paused.began
    assert (began.flow, began.port, began.ps) == (None, paused.port, paused.ps)
    assert paused.ps == 41_005_120 - 40_075_520
    assert "after a fault" in str(found)


def test_a_hold_after_a_fault_is_not_that_of_an_earlier_pause():
    """Host 1 is paused while two hosts send to host 0. That pause has ended when the link fails."""
    results = incast.run(
        {
            "network": {
                "topology": {"kind": "star", "hosts": 3},
                "flow_control": "pfc",
                "buffer": {"size": "400KiB"},
            },
            "cc": {"algorithm": "none"},
            "traffic": flows((1, 0, "300KB", "0s"), (2, 0, "300KB", "0s"), (1, 2, "1MB", "120us")),
            "fault": [{"kind": "down", "links": ["host 1"], "from": "150us", "until": "190us"}],
        }
    )
    early, late = results.explain(0, 2)
    began = [part.began for part in early.parts if part.part == "pause"]
    assert {each.flow for each in began[0]} <= {0, 1}
    (paused,) = (part for part in late.parts if part.part == "pause")
    assert [each.flow for each in paused.began] == [None]


def test_a_chain_of_messages_over_three_hosts():
    """Host 0 sends to 1, 1 to 2, and 2 to 3, each when all data have arrived. 10 KB take the time
    of 9 packets and the way of one: 9 · 83,840 + 2 · 1,083,840 = 2,922,240 ps. The ACK of the last
    message does not count. At hosts 1 and 2 the ACK for the last data leaves first.
    """
    collective = {
        "kind": "collective",
        "operation": "broadcast",
        "root": 0,
        "data": "10KB",
        "hosts": "0-3",
    }
    results = incast.run(star(hosts=4, traffic=[collective]))
    found = results.explain_collective(0)
    one = 9 * PACKET + 2 * (PACKET + US)
    assert [message.flow.hosts for message in found.messages] == ["0 → 1", "1 → 2", "2 → 3"]
    assert found.time_ps == 3 * one + 2 * ACK
    assert found.computing_ps == 0
    assert parts(found) == {
        ("sending", None): 27 * PACKET,
        ("way", None): 6 * (PACKET + US),
        ("nic", "host 1 port 0 → switch 4"): ACK,
        ("nic", "host 2 port 0 → switch 4"): ACK,
    }


HALVED = """
from incast.algorithm import Algorithm, SendLimit

class Halved(Algorithm):
    window = 40_000

    def on_ack(self, now_ps, ack):
        pass

    def on_loss(self, now_ps, *loss):
        self.window = 2000

    def limit(self):
        return SendLimit(window_bytes=self.window)
"""


def test_a_loss_is_waited_for_until_it_is_known(tmp_path):
    """Packets of a go-back-N flow are lost at 1 us; the sender learns of the loss by the NACK. From
    then on packets wait for a window of two packets, and so for round trips.
    """
    (tmp_path / "halved.py").write_text(HALVED)
    scenario = star(
        str(tmp_path / "halved.py"),
        network={"flow_control": "none", "recovery": {"timeout": "100us"}},
        fault=[{"kind": "down", "links": ["host 1"], "from": "1us", "until": "1100ns"}],
        traffic=flows((1, 0, "60KB", "0s")),
    )
    found = explained(scenario)
    sums = {}
    for part in found.parts:
        sums[part.part] = sums.get(part.part, 0) + part.ps
    # The window of 40 packets is full after 40 · 83,840 = 3,353,600 ps. Packets 12 and 13 were on
    # the link at 1 us. When packet 14 arrives, the receiver finds them missing.
    known_at = 14 * PACKET + WAY
    assert sums["loss"] == known_at - 40 * PACKET
    assert sums["window"] > 10 * sums["loss"]
    assert found.decreases.losses == 1
    assert found.decreases.marked_acks == found.decreases.other_acks == 0


def test_flows_that_share_a_pace_take_turns():
    """Both flows of a pair share one pace at line rate, so their packets alternate."""
    traffic = flows((1, 0, "20KB", "0s"), (1, 0, "20KB", "0s"))
    found = explained(star(traffic=traffic, nic={"enforcement": "per-pair"}), 0)
    assert parts(found) == {
        ("sending", None): 19 * PACKET,
        ("turn", None): 19 * PACKET,
        ("way", None): WAY,
    }


def test_a_short_flow_in_a_long_queue_has_a_small_share():
    """Ten flows at line rate fill the queue. One packet arrives at 20 us and waits for all packets
    before it, which are of the other flows. So the port is always in use.
    """
    traffic = flows(*[(source, 0, "200KB", "0s") for source in range(1, 11)])
    traffic += flows((11, 0, "1KB", "20us"))
    found = explained(star(hosts=12, traffic=traffic), 10)
    (at_port,) = found.company
    assert len(at_port.others) == 10
    waited = next(part for part in found.parts if part.part == "queue")
    # The packet that was leaving at the arrival is not counted.
    packets = (waited.ps + PACKET) // PACKET
    assert at_port.share == pytest.approx(1 / packets, rel=0.02)
    assert 0.98 < at_port.utilisation <= 1
    # The ten flows leave in turn; each is there except for some packets at the begin and at the
    # end.
    assert at_port.equal_share == pytest.approx(1 / 11, rel=0.03)
    assert "equal shares" not in str(found)


@pytest.mark.parametrize("host", [0, 1])
def test_every_nic_of_a_host_is_a_sender(host):
    """Two planes: the flow of each host is alone, and takes the time of a lone flow."""
    scenario = star(network={"planes": 2}, traffic=flows((host, 2, "10KB", "0s")))
    found = explained(scenario)
    assert parts(found) == {("sending", None): 9 * PACKET, ("way", None): WAY}


def test_a_lost_ack_is_not_on_the_path_of_a_collective():
    """The chain of messages over three hosts, with lost ACKs to host 0, for which no rank waits."""
    collective = {
        "kind": "collective",
        "operation": "broadcast",
        "root": 0,
        "data": "10KB",
        "hosts": "0-3",
    }
    scenario = star(
        hosts=4,
        network={"flow_control": "none", "recovery": {"timeout": "100us"}},
        fault=[{"kind": "down", "links": ["host 0"], "from": "2500ns", "until": "20us"}],
        traffic=[collective],
    )
    found = incast.run(scenario).explain_collective(0)
    assert found.messages[0].flow.timeouts > 0
    assert {part.part for part in found.parts} == {"sending", "way", "nic"}
    assert found.time_ps == sum(part.ps for part in found.parts) + found.computing_ps


def test_computing_before_and_after_messages_is_told():
    """10 us of computing, a message of 10 KB, 5 us of computing, another message, 50 us of
    computing.
    """
    tasks = [
        {"id": "a", "rank": 0, "compute": "10us"},
        {"id": "b", "rank": 0, "send": 1, "size": "10KB", "after": ["a"]},
        {"id": "c", "rank": 1, "receive": 0, "size": "10KB"},
        {"id": "d", "rank": 1, "compute": "5us", "after": ["c"]},
        {"id": "e", "rank": 1, "send": 2, "size": "10KB", "after": ["d"]},
        {"id": "f", "rank": 2, "receive": 1, "size": "10KB"},
        {"id": "g", "rank": 2, "compute": "50us", "after": ["f"]},
    ]
    traffic = [{"kind": "tasks", "hosts": "0-2", "tasks": tasks}]
    found = incast.run(star(traffic=traffic)).explain_collective(0)
    one = 9 * PACKET + 2 * (PACKET + US)
    assert found.computing_ps == 65 * US
    assert found.time_ps == 65 * US + 2 * one
    assert parts(found) == {("sending", None): 18 * PACKET, ("way", None): 4 * (PACKET + US)}
    assert "ranks computed" in str(found)


def test_a_window_below_an_equal_share(one_packet):
    """1048 B every 4,177,280 ps are 2.007 Gb/s. Three packets leave at 0, 4,177,280 and 8,354,560
    ps. The equal share of a lone flow is 100 Gb/s: the window is below it until the last packet.
    """
    found = explained(star(one_packet, traffic=flows((1, 0, "3KB", "0s"))))
    assert found.below_share_ps == 2 * WAY
    told = "Its limit was below an equal share for 8.35 µs, 66.7 % of the FCT."
    assert told in " ".join(str(found).split())
    assert pace_of_window(1000, 1000, 1048, WAY) == Fraction(1048 * 8 * 10**12, WAY)


def test_several_paths_have_no_equal_share():
    """Packets are sprayed over two spines; with one spine there is one path."""
    for spines, is_told in ((2, False), (1, True)):
        found = explained(
            {
                "network": {
                    "topology": {
                        "kind": "leaf-spine",
                        "leaves": 2,
                        "spines": spines,
                        "hosts_per_leaf": 2,
                    },
                    "flow_control": "none",
                    "balance": {"kind": "random"},
                    "recovery": {"loss_detection": {"kind": "explicit"}},
                },
                "cc": {"algorithm": "dctcp"},
                "traffic": flows((2, 0, "100KB", "0s"), (3, 0, "100KB", "0s")),
            }
        )
        assert (found.below_share_ps is not None) == is_told
        assert (found.to_dict()["below_share_ps"] is not None) == is_told
        assert ("below an equal share" in " ".join(str(found).split())) == is_told


def test_credit_has_no_equal_share():
    """Credit from a receiver is no pace or window of the sender."""
    found = explained(
        {
            "network": {"topology": "star", "flow_control": "none", "drop": {"trimming": {}}},
            "cc": {"algorithm": "rccc"},
            "traffic": [{"kind": "incast", "receiver": 0, "sizes": "500KB"}],
        }
    )
    assert "credit" in {state.state for state in found.states}
    assert found.below_share_ps is None
    assert "below an equal share" not in " ".join(str(found).split())


PACED = """
from incast.algorithm import Algorithm, SendLimit

class Paced(Algorithm):
    def on_ack(self, now_ps, ack):
        pass

    def limit(self):
        return SendLimit(rate_bps=40_000_000_000)
"""


def test_a_pace_is_below_an_equal_share_while_it_is_alone(tmp_path):
    """At 40 Gb/s a packet leaves every 209,600 ps. The equal share is 100 Gb/s alone and 50 Gb/s
    beside one other flow. Beside two others it is 33.3 Gb/s, and the pace is above the share.

    Packets of flow 0 arrive at the switch every 2.5 packet times. Hosts 2 and 3 (A and B) send ten
    packets each, and two arrive in each packet time. The port is busy: 0, A and B leave first. A's
    tenth is the 23rd, since three more of flow 0 came before it. So A is there from 1 to 23 packet
    times, B from 2 to 24, and both from 2 to 23.
    """
    (tmp_path / "paced.py").write_text(PACED)
    traffic = flows((1, 0, "30KB", "0s"), (2, 0, "10KB", "0s"), (3, 0, "10KB", "0s"))
    for entry in traffic[1:]:
        entry["cc"] = {"algorithm": "none"}
    found = explained(star(str(tmp_path / "paced.py"), hosts=4, traffic=traffic), 0)
    # The last of 30 packets leaves 29 packet intervals after the first.
    assert found.below_share_ps == 29 * 209_600 - 21 * PACKET


def test_equal_shares_are_the_least_of_the_path():
    """Links of 100 and 40 Gb/s. At the first, other flows are there from 10 to 30 and from 20 to
    40; at the second, one from 25 to 35. 100 / 3 = 33.3 is less than 40; 40 / 2 = 20 is less than
    100 / 3.
    """
    ports = [
        AtPort(Port(0, 0, 1, "one", 100), [Met(1, 1, 10, 30), Met(2, 1, 20, 40)], 1, 1, 1),
        AtPort(Port(1, 0, 2, "two", 40), [Met(3, 1, 25, 35)], 1, 1, 1),
    ]
    assert equal_shares(ports) == [
        (-1, 40),
        (10, 40),
        (20, Fraction(100, 3)),
        (25, 20),
        (30, 20),
        (35, 40),
        (40, 40),
    ]
