"""Memory follows what a scenario holds, not how long it lasts; links keep to their rates."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import incast
import pytest

TEN_SECONDS = """
[network]
topology = "star"
[cc]
algorithm = "hpcc"
[measure]
queues = { every = "1us" }
flows = { every = "1us" }
[[traffic]]
kind = "flows"
flows = [
    { source = 0, destination = 1, size = "1KB" },
    { source = 0, destination = 1, size = "1KB", start = "10s" },
]
"""


def _peak_bytes(body: str) -> int:
    """The most memory that a process takes that runs this."""
    # What the system says of resources includes the process that it was forked from.
    peak = "print(next(line for line in open('/proc/self/status') if line.startswith('VmHWM')))"
    program = textwrap.dedent(body) + peak
    out = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    return int(out.stdout.split()[-2]) * 1024


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="tells no peak memory")
def test_idle_time_takes_no_memory(tmp_path):
    """Two flows 10 s apart, sampled every microsecond, with their report: 100 MB."""
    (tmp_path / "ten.toml").write_text(TEN_SECONDS)
    peak = _peak_bytes(
        f"""
        import incast
        results = incast.run({str(tmp_path / "ten.toml")!r})
        results.report({str(tmp_path / "report.html")!r})
        assert results.summary["simulated_ps"] > 10e12
        """
    )
    assert peak < 100e6, peak


def _samples(results, measure, entity):
    series = results.series
    measures, entities = series.categories("measure"), series.categories("entity")
    rows = (measures.indices == measures.texts.index(measure)) & (
        entities.indices == entities.texts.index(entity)
    )
    times = series.numbers("time_ps")[rows].tolist()
    return dict(zip(times, series.numbers("value")[rows].tolist(), strict=True))


SIXTEEN = {
    "network": {"topology": {"kind": "star", "hosts": 17}},
    "cc": {"algorithm": "hpcc"},
    "traffic": [{"kind": "incast", "receiver": 16, "sizes": "200KB"}],
    "measure": {"queues": {"every": "100ns"}, "flows": {"every": "200ns"}},
}


def test_series_keep_to_their_rows_and_say_so():
    whole = incast.run(SIXTEEN)
    bounded = incast.run({**SIXTEEN, "measure": {**SIXTEEN["measure"], "rows": 5000}})
    assert "thinned_series" not in whole.summary
    thinned = bounded.summary["thinned_series"]
    assert thinned["queues"]["every_ps"] == 100_000
    assert thinned["queues"]["kept_every_ps"] in {100_000 * 2**n for n in range(1, 12)}
    assert len(bounded.series) <= 10_000 < len(whole.series)
    note = "series.parquet has samples of queues every"
    assert note in bounded.table()
    assert note not in whole.table()

    assert bounded.fingerprint == whole.fingerprint
    for key in ("queue_bytes", "goodput_bps", "utilisation"):
        assert bounded.summary[key] == whole.summary[key], key
    for measure, entity in [("queue_max_bytes", "network"), ("acked_bytes", "flow 3")]:
        part, every = (_samples(results, measure, entity) for results in (bounded, whole))
        assert part.items() < every.items()


def test_too_few_rows_are_refused():
    with pytest.raises(incast.ScenarioError, match=r"measure\.rows: 999 rows are too few.*1000"):
        incast.Scenario({**SIXTEEN, "measure": {"rows": 999}})


def test_pfc_frames_keep_to_their_rows():
    scenario = {
        "network": {
            "topology": {"kind": "star", "hosts": 33},
            "buffer": {"size": "1500KB"},
        },
        "cc": {"algorithm": "none"},
        "traffic": [{"kind": "incast", "receiver": 32, "sizes": "8MB"}],
    }
    whole = incast.run(scenario)
    bounded = incast.run({**scenario, "measure": {"rows": 1000}})
    cut = bounded.summary["thinned_series"]["pfc_cut_ps"]
    measures = whole.series.categories("measure")
    pfc = measures.indices == measures.texts.index("pfc")
    before = (whole.series.numbers("time_ps")[pfc] < cut).sum()
    kept = bounded.series.categories("measure")
    assert (kept.indices == kept.texts.index("pfc")).sum() == before <= 1000
    assert bounded.summary["pfc"] == whole.summary["pfc"]


def test_a_packet_counts_as_far_as_it_is_out_when_the_run_stops():
    """9000 B at 1 Gb/s take 72 us, the run 10 us: the link was full, not seven times full."""
    results = incast.run(
        {
            "run": {"stop": "10us"},
            "network": {
                "topology": {"kind": "star", "hosts": 3, "rate": "1Gbps", "delay": "100ns"},
                "packets": {"mtu": "9000B"},
            },
            "cc": {"algorithm": "none"},
            "traffic": [{"kind": "incast", "receiver": 0, "sizes": "1MB"}],
        }
    )
    assert 0.99 < results.summary["utilisation"]["max"] <= 1
    assert max(results.ports.numbers("utilisation")) <= 1


def test_the_rounding_of_ns3_is_told():
    results = incast.run(
        {
            "network": {"topology": "star", "profile": "hpcc-ns3", "packets": {"mtu": "64B"}},
            "cc": {"algorithm": "none"},
            "traffic": [{"kind": "incast", "receiver": 16, "sizes": "100KB"}],
        }
    )
    assert results.summary["utilisation"]["max"] > 1.05
    assert "rounds the transmission time of each packet down" in results.table().replace("\n", " ")


def test_neither_fit_nor_any():
    with pytest.raises(ValueError, match='memory: `all` is neither "fit" nor "any"'):
        incast.run({}, memory="all")
