"""Timeouts and retransmissions are counted, and a run dominated by timeouts says so."""

import incast
import numpy as np

TIMEOUT_PS = 67_000_000_000
LOSSY = {
    "network": {
        "topology": {"kind": "star", "hosts": 3, "rate": "100Gbps", "delay": "515ns"},
        "flow_control": "none",
        "buffer": {"size": "8MiB"},
        "drop": {"alpha": 1000, "queue_limit": "5200KB"},
        "recovery": {"timeout": "67ms"},
        "packets": {"mtu": "4KiB"},
    },
    "cc": {"algorithm": "dcqcn"},
    "traffic": [
        {
            "kind": "incast",
            "receiver": 2,
            "sizes": "2MiB",
            "rounds": {"count": 32, "every": "1ns"},
        }
    ],
}
"""64 messages of one QP each into a queue that drops packets: a message whose last packet is lost
waits for the timeout.
"""


def test_a_run_that_timeouts_rule_says_so():
    results = incast.run(LOSSY)
    recovery, flows = results.summary["recovery"], results.flows
    assert recovery["timeouts"] == flows["timeouts"].sum() > 0
    assert recovery["flows_timed_out"] == (flows["timeouts"] > 0).sum()
    # Each flow had at most one timeout, of the scenario's length.
    assert set(flows["timeouts"].tolist()) == {0, 1}
    assert (flows["timeout_wait_ps"] == flows["timeouts"].astype(np.uint64) * TIMEOUT_PS).all()
    share = flows["timeout_wait_ps"].sum() / flows["fct_ps"].sum()
    assert recovery["timeout_wait_share"] == share > 0.1
    again, after = flows["retransmitted_bytes"], flows["timeout_retransmitted_bytes"]
    assert recovery["retransmitted_bytes"] == again.sum() >= after.sum() > 0
    assert (after <= again).all()
    assert (after[flows["timeouts"] == 0] == 0).all()
    shown = " ".join(results.table().split())
    assert "Timeouts rule this run" in shown
    assert f"timeouts {recovery['timeouts']} of" in shown


def test_nothing_is_said_where_nothing_times_out():
    lossless = {**LOSSY, "network": {"topology": {"kind": "star", "hosts": 3}}}
    results = incast.run(lossless)
    assert not any(results.summary["recovery"].values())
    assert "imeout" not in results.table()


def test_spurious_timeouts_send_packets_again_in_vain():
    """64 senders take turns of 87 ns each, so that 5.6 us pass between ACKs of a flow, more than
    the timeout. Nothing is lost: every packet that is sent again has arrived, or is on its way.
    """
    impatient = {
        **LOSSY,
        "network": {
            "topology": {"kind": "star", "hosts": 65},
            "recovery": {"timeout": "4500ns", "kind": "selective"},
        },
        "cc": {"algorithm": "none"},
    }
    impatient["traffic"] = [{"kind": "incast", "receiver": 64, "sizes": "20KB"}]
    results = incast.run(impatient)
    recovery, packets = results.summary["recovery"], results.summary["packets"]
    assert packets["dropped"] == 0
    assert recovery["timeouts"] > 0
    assert recovery["duplicate_packets"] == packets["retransmitted"] > 0
    assert recovery["duplicate_packets"] == results.flows["duplicate_packets"].sum()
    assert recovery["timeout_retransmitted_bytes"] == recovery["retransmitted_bytes"]
