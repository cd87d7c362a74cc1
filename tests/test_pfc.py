"""PFC in results: pauses that are no deadlock, and the utilisation of ports."""

import incast
import pyarrow as pa

RING = """\
hosts h0 h1 h2 h3
switches s0 s1 s2 s3
link s0 s1 1Mbps 1us
link s1 s2 1Mbps 1us
link s2 s3 1Mbps 1us
link s3 s0 1Mbps 1us
link h0 s0 1Mbps 1us
link h1 s1 1Mbps 1us
link h2 s2 1Mbps 1us
link h3 s3 1Mbps 1us
"""


def listed(*flows):
    columns = ("source", "destination", "size", "start")
    return [{"kind": "flows", "flows": [dict(zip(columns, flow, strict=True)) for flow in flows]}]


def test_a_circle_that_a_resume_on_its_way_opens_is_no_deadlock(tmp_path):
    """Over links of 1 Mb/s a PFC frame waits up to 8.4 ms behind a packet. At one look all four
    switches are paused. But one of them was resumed and then paused again, and the resume has not
    arrived.
    """
    (tmp_path / "ring.graph").write_text(RING)
    run = incast.run(
        {
            "network": {
                "topology": {"file": str(tmp_path / "ring.graph"), "format": "graph"},
                "buffer": {"size": "300KB", "reserve": "1KB"},
                "pfc": {"threshold": "0B", "resume_offset": "1KB"},
            },
            "cc": {"algorithm": "none"},
            "traffic": listed(
                (0, 3, "3000B", "0ps"),
                (0, 3, "3000B", "0ps"),
                (3, 1, "60000B", "0ps"),
                (0, 2, "3000B", "0ps"),
                (1, 3, "10000B", "0ps"),
                (0, 3, "20000B", "14392675ps"),
                (2, 0, "3000B", "44150183ps"),
                (3, 1, "20000B", "62001626ps"),
            ),
        }
    )
    assert run.summary["flows"] == {"started": 8, "finished": 8}


def test_a_pfc_frame_that_is_leaving_takes_nothing_from_utilisation():
    """One of four hosts receives from three. The run stops 100 ps after the switch began to send a
    PFC frame by port 2. Before that, only ACKs left by port 2, and all of them are out.
    """
    scenario = {
        "network": {
            "topology": {"kind": "star", "hosts": 4, "delay": "100ns"},
            "buffer": {"reserve": "0B", "size": "32MiB"},
            "pfc": {"threshold": "0B", "headroom": "worst-case"},
        },
        "cc": {"algorithm": "none"},
        "traffic": listed(
            (0, 1, "400000B", "0ps"),
            (1, 0, "400000B", "0ps"),
            (2, 1, "400000B", "0ps"),
            (3, 0, "400000B", "0ps"),
        ),
    }
    traced = incast.run({**scenario, "measure": {"packets": True}})
    frames = [
        event["time_ps"]
        for event in pa.table(traced.packets).to_pylist()
        if (event["event"], event["node"], event["port"]) == ("send", 4, 2)
        and event["kind"] in ("pause", "resume")
    ]
    stop = frames[2] + 100
    run = incast.run({**scenario, "run": {"stop": f"{stop}ps"}})
    ports = pa.table(run.ports).to_pylist()
    port = next(port for port in ports if (port["node"], port["port"]) == (4, 2))
    assert port["control_bytes"] > 0
    fits = port["rate_bps"] * stop / 8e12
    assert abs(port["utilisation"] * fits - port["control_bytes"]) < 0.01
