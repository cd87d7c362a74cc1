"""Memory depends on what a scenario holds, not on how long it lasts; links keep to their rates."""

from __future__ import annotations

import os
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


tells_memory = pytest.mark.skipif(
    not Path("/proc/self/status").exists(), reason="tells no memory of processes"
)


def _bytes_told(body: str, what: str = "VmHWM") -> int:
    """A value from the process status at the end of a process that runs this code: by default, its
    peak memory.
    """
    # `resource.getrusage` includes the process from which this one was forked.
    told = f"print(next(line for line in open('/proc/self/status') if line.startswith({what!r})))"
    program = textwrap.dedent(body) + told
    environment = {
        key: value for key, value in os.environ.items() if not key.startswith("MIMALLOC")
    }
    command = [sys.executable, "-c", program]
    out = subprocess.run(
        command, capture_output=True, text=True, check=True, timeout=300, env=environment
    )
    return int(out.stdout.split()[-2]) * 1024


@tells_memory
def test_idle_time_takes_no_memory(tmp_path):
    """Two flows 10 s apart, sampled every microsecond, with a report, take at most 100 MB."""
    (tmp_path / "ten.toml").write_text(TEN_SECONDS)
    peak = _bytes_told(
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


FABRIC = {
    "fabric": {"endpoints": 64},
    "control": {"scheme": "3cpo"},
    "group": [{"members": [0, 1, 8, 9]}],
    "work": [{"kind": "transactions", "count": 500}],
    "measure": {"every": 10, "endpoints": [0, 9]},
}


def test_samples_of_a_long_fabric_run_keep_to_their_rows_and_say_so():
    """The kept samples are among those of an unbounded run, on any number of threads."""
    whole = incast.run(FABRIC)
    rows = 2000
    bounded = {**FABRIC, "measure": {**FABRIC["measure"], "rows": rows}}
    one, two = (incast.run(bounded, threads=threads) for threads in (1, 2))
    assert "thinned_series" not in whole.summary
    thinned = one.summary["thinned_series"]
    assert thinned["every_cycles"] == 10
    assert thinned["kept_every_cycles"] in {10 * 2**n for n in range(1, 12)}
    assert rows / 4 < len(one.queues) <= rows < len(whole.queues)
    assert len(one.controls) <= rows
    for table in ("controls", "queues"):
        part, every = (_rows(getattr(results, table)) for results in (one, whole))
        assert part < every
        assert part == _rows(getattr(two, table))
    assert one.fingerprint == whole.fingerprint
    note = f"samples every {thinned['kept_every_cycles']} cycles, not 10"
    assert note in one.table().replace("\n", " ")
    assert "to keep to measure.rows" not in whole.table()


def _rows(table):
    """The rows of a table of numbers."""
    return set(zip(*(table.numbers(name).tolist() for name in table.columns), strict=True))


def test_what_a_fabric_takes_is_known_before(tmp_path, capsys, monkeypatch):
    from incast import cli, machine

    monkeypatch.chdir(tmp_path)
    scenario = incast.Scenario({**FABRIC, "measure": {"every": 1, "rows": 1000}})
    estimate, summary = scenario.estimate(), incast.run(scenario).summary
    assert estimate["flit_hops"] == pytest.approx(summary["flit_hops"], rel=0.05)
    assert estimate["cycles"] == pytest.approx(summary["cycles"], rel=0.5)
    kept = summary["thinned_series"]["kept_every_cycles"]
    assert 0.5 <= estimate["samples"]["kept_every_cycles"] / kept <= 2

    (tmp_path / "fabric.toml").write_text(scenario.to_toml())
    assert cli.main(["show", "fabric.toml"]) == 0
    shown = capsys.readouterr().out
    assert " flit-hops: under 1 s at 15 M to 100 M a second; " in shown
    assert "samples of the fabric every 1 cycle would make about " in shown
    monkeypatch.setattr(machine, "resident_memory", lambda: 10_000_000)
    monkeypatch.setattr(machine, "available_memory", lambda: 20_000_000)
    with pytest.raises(incast.ScenarioError, match="30 MB are available"):
        incast.run(scenario)
    large = {**FABRIC, "work": [{"kind": "transactions", "count": 10**9}]}
    with pytest.raises(incast.ScenarioError, match=r"for operations.*give it less work"):
        incast.run(large)


def test_too_few_rows_are_refused():
    with pytest.raises(incast.ScenarioError, match=r"measure\.rows: 999 rows are too few.*1000"):
        incast.Scenario({**SIXTEEN, "measure": {"rows": 999}})
    with pytest.raises(incast.ScenarioError, match="999 rows are too few") as caught:
        incast.Scenario({**FABRIC, "measure": {"rows": 999}})
    assert caught.value.key == "measure.rows"


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
    """9000 B at 1 Gb/s take 72 us, and the run 10 us: the utilisation of the link is 1, not 7."""
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


ROUNDING = "rounds the transmission time of each packet down"


def small_packets(network):
    return incast.run(
        {
            "network": {"topology": "star", "packets": {"mtu": "64B"}, **network},
            "cc": {"algorithm": "none"},
            "traffic": [{"kind": "incast", "receiver": 16, "sizes": "100KB"}],
        }
    )


@pytest.mark.parametrize(
    "network", [{"profile": "hpcc-ns3"}, {"model": {"clock": "nanoseconds"}}], ids=str
)
def test_the_rounding_of_ns3_is_told(network):
    results = small_packets(network)
    assert results.summary["utilisation"]["max"] > 1.05
    assert ROUNDING in results.table().replace("\n", " ")


def test_another_clock_under_the_profile_of_ns3_does_not_round_down():
    model = {"clock": "picoseconds", "ties": "port", "marking_random": "own"}
    results = small_packets({"profile": "hpcc-ns3", "model": model})
    assert results.summary["utilisation"]["max"] <= 1
    assert ROUNDING not in results.table().replace("\n", " ")


def test_the_ideal_fct_is_by_the_clock_of_the_network():
    """5 packets of 1048 B take 83.84 ns each at 100 Gb/s, an ACK of 60 B takes 4.8 ns, and each of
    two links 1000.6 ns. Each time is cut to whole nanoseconds: (5 + 1) · 83 + 2 · 1000 + 2 · 4 + 2
    · 1000 ns.
    """
    results = incast.run(
        {
            "network": {
                "topology": {"kind": "star", "hosts": 2, "delay": "1000.6ns"},
                "model": {"clock": "nanoseconds"},
            },
            "cc": {"algorithm": "none"},
            "traffic": [{"kind": "incast", "senders": "1", "receiver": 0, "sizes": "5KB"}],
        }
    )
    assert list(results["fct_ps"]) == list(results["ideal_fct_ps"]) == [4_506_000]


def test_neither_fit_nor_any():
    with pytest.raises(ValueError, match='memory: `all` is neither "fit" nor "any"'):
        incast.run({}, memory="all")
    with pytest.raises(ValueError, match='memory: `all` is neither "fit" nor "any"'):
        incast.compare(SIXTEEN, ["hpcc", "dcqcn"], memory="all")


def test_no_round_trips_are_told():
    counted = {"measure": {"round_trips": {"from": "1s"}}}
    table = incast.run({**SIXTEEN, **counted}).table().replace("\n", " ")
    assert "No round trip was counted: no ACK came between measure.round_trips.from and" in table


def test_an_empty_measuring_window_is_told():
    results = incast.run({**SIXTEEN, "measure": {"from": "1s"}})
    assert results.summary["goodput_bps"]["total"] is None
    table = results.table().replace("\n", " ")
    assert "The measuring window is empty: it begins at 1 s" in table
    assert "measured  " not in table
    with pytest.raises(incast.ScenarioError, match="begins at 2ms, but ends at 1ms") as caught:
        incast.Scenario({**SIXTEEN, "measure": {"from": "2ms", "until": "1ms"}})
    assert caught.value.key == "measure.from"


@pytest.mark.parametrize(
    "measure",
    [
        {"packets": {"limit": 1000}},
        {"rows": 1000, "queues": {"ports": "none", "every": "1ns"}},
    ],
)
def test_what_is_recorded_is_bounded_amid_long_steps(measure):
    """A step of 64 link delays has 640,000 samples of each port, and millions of events."""
    star = {
        "run": {"stop": "640us"},
        "network": {
            "topology": {"kind": "star", "hosts": 48, "delay": "10us"},
            "flow_control": "none",
        },
        "cc": {"algorithm": "none"},
        "traffic": [{"kind": "poisson", "sizes": "fb-hadoop", "load": 0.6, "duration": "700us"}],
        "measure": {"flows": {"which": "none", "every": "100us"}, **measure},
    }
    assert _bytes_told(f"import incast\nincast.run({star!r}, threads=1)\n") < 100e6


@tells_memory
def test_addresses_go_back_where_they_are_limited():
    def addresses(count: int) -> int:
        traffic = {"kind": "poisson", "sizes": "1KB", "load": 0.5}
        network = {"topology": {"kind": "star", "hosts": 17}}
        scenario = {"network": network, "cc": {"algorithm": "hpcc"}}
        # Other threads would have stacks and heaps of their own. Memory that has been free for a
        # second is given back when a later run asks for memory.
        return _bytes_told(
            f"""
            import gc, resource, time
            resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
            import incast
            for count in ({count}, 10_000):
                traffic = [{traffic!r} | dict(count=count)]
                incast.run({scenario!r} | dict(traffic=traffic), threads=1)
                gc.collect()
                time.sleep(1.5)
            """,
            "VmSize",
        )

    # A process takes some 60 MB of address space; the long run takes 200 MB more while it lasts.
    # mimalloc by default reserves 1 GiB.
    assert addresses(10) < 500 * 1024 * 1024
    assert addresses(600_000) - addresses(10) < 70_000 * 1024


@tells_memory
def test_threads_reserve_few_addresses_where_they_are_limited():
    def addresses(threads: int) -> int:
        return _bytes_told(
            f"""
            import resource, threading
            resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
            import incast
            all_there = threading.Barrier({threads + 1})
            def take_memory():
                taken = bytearray(5000)
                all_there.wait()
            for _ in range({threads}):
                threading.Thread(target=take_memory).start()
            all_there.wait()
            """,
            "VmPeak",
        )

    # Stacks usually take 8 MiB each; the GNU C library would take 64 MiB more for each thread.
    assert addresses(4) - addresses(0) < 4 * 40 * 1024 * 1024
