"""Results on several threads, with long rounds."""

import incast
import pyarrow as pa


def test_idle_time_is_the_same_on_any_number_of_threads(tmp_path):
    """Two stars, 2 ms apart: two threads run rounds of 2 ms, which contain the gaps between
    bursts.
    """
    hosts = [f"h{number}" for number in range(16)]
    links = [
        f"link {host} {'a' if number < 8 else 'b'} 100Gbps 1us" for number, host in enumerate(hosts)
    ]
    lines = [f"hosts {' '.join(hosts)}", "switches a b", *links, "link a b 100Gbps 2ms", ""]
    (tmp_path / "two.graph").write_text("\n".join(lines))
    flows = [(at, (at + 1) % 8, "4MB", 0) for at in range(8)]
    flows += [(burst % 8, (burst + 3) % 8, "20KB", 900 * burst) for burst in range(1, 8)]
    listed = [
        {"source": star + source, "destination": star + to, "size": size, "start": f"{start}us"}
        for source, to, size, start in flows
        for star in (0, 8)
    ]
    every = {"queues": {"ports": "all", "every": "1us"}, "flows": {"which": "all", "every": "1us"}}
    scenario = {
        "network": {
            "topology": {"file": str(tmp_path / "two.graph"), "format": "graph"},
            "buffer": {"size": "400MB"},
        },
        "cc": {"algorithm": "hpcc"},
        "run": {"stop": "9ms"},
        "measure": {**every, "fair_share": "none"},
        "traffic": [{"kind": "flows", "flows": listed}],
    }
    alone, together = (incast.run(scenario, threads=threads) for threads in (1, 2))
    assert together.summary["threads"] == 2
    assert alone.summary["fingerprint"] == together.summary["fingerprint"]
    assert pa.table(alone.series).to_pylist() == pa.table(together.series).to_pylist()
    # Between two bursts there is nothing to sample.
    times = pa.table(alone.series)["time_ps"].to_pylist()
    assert not [time for time in times if 1_200_000_000 < time < 1_600_000_000]
