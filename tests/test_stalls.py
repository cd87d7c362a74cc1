"""Runs whose flows make no progress: how they end, what they report, store and draw."""

import incast
import pytest
import scenarios
from incast.measure.series import curves
from incast.present.html import deadlock


def test_a_deadlock_ends_a_run_and_keeps_what_has_finished(ring, tmp_path):
    with pytest.raises(
        incast.StallError, match=r"deadlock of PFC since [0-9.]+us: data at"
    ) as caught:
        incast.run(ring, store=tmp_path / "store")
    results = caught.value.results
    assert results.summary["flows"] == {"started": 11, "finished": 1}
    assert len(results.completed) == 1
    assert not results.partial
    stall = results.stall
    assert (stall["kind"], stall["ended_run"], stall["flow_count"]) == ("deadlock", True, 10)
    around = [port["switch"] for port in stall["circle"]]
    assert sorted(around) == scenarios.RING
    assert [port["peer"] for port in stall["circle"]] == [*around[1:], around[0]]
    assert stall["since_ps"] == max(port["paused_ps"] for port in stall["circle"])
    assert results.summary["simulated_ps"] == stall["found_ps"]
    assert "10 flows had not finished when the run stalled" in results.table()
    # The second call loads the stalled run: simulating it again would stall again.
    with pytest.raises(incast.StallError) as again:
        incast.run(ring, store=tmp_path / "store", progress=_never)
    assert again.value.results.reused
    assert again.value.results.folder == results.folder


def test_a_deadlock_is_told_in_a_run_with_a_stop_time(ring):
    results = incast.run(ring, stop="3ms")
    assert results.stall["ended_run"] is False
    assert results.summary["simulated_ps"] == 3_000_000_000
    assert "The run was not ended by it." in results.table()
    with pytest.raises(incast.StallError):
        incast.run(ring, stop="3ms", **{"run.on_deadlock": "stop"})


def test_a_flow_without_progress_ends_a_run(ring):
    options = {"run.on_deadlock": "report", "run.stall_after": "2ms"}
    with pytest.raises(
        incast.StallError, match="no byte of flows 0, 1, 2, 3, 4, 5, 6, 7 and 2 more"
    ):
        incast.run(ring, stop="1s", **options)


@pytest.mark.parametrize("delay", ["3us", "9us"])
def test_a_deadlock_beside_other_flows_ends_a_run_where_all_nodes_stand(delay, tmp_path):
    """A run stopped at the same time has the same packets, even if the look comes amid a window of
    the engine.
    """
    file = scenarios.ring_file(tmp_path, 4, delay=delay, beside="ab")
    flows = [{"source": n, "destination": (n + 2) % 4, "size": "1MB"} for n in range(4)]
    flows.append({"source": 4, "destination": 5, "size": "30MB"})
    scenario = {
        "network": {
            "topology": {"file": file, "format": "graph"},
            "pfc": {"threshold": "5KB"},
            "buffer": {"size": "100MB"},
        },
        "cc": {"algorithm": "none"},
        "traffic": [{"kind": "flows", "flows": [{"start": "0s", **flow} for flow in flows]}],
    }
    for threads in (1, 2):
        with pytest.raises(incast.StallError) as caught:
            incast.run(scenario, threads=threads)
        ended = caught.value.results
        at = ended.summary["simulated_ps"]
        assert at == ended.stall["found_ps"] < 2_100_000_000
        stopped = incast.run(scenario, **{"run.stop": f"{at}ps", "run.on_deadlock": "report"})
        assert ended.summary["packet_hops"] == stopped.summary["packet_hops"]
        acked = [list(results.flows.numbers("acked_bytes")) for results in (ended, stopped)]
        assert acked[0] == acked[1]


def test_a_deadlock_in_which_nothing_happens_ends_with_the_last_flow_that_started(tmp_path):
    """The NIC of the late flow is paused: it sends nothing, so that no packet shows the flow."""
    file = scenarios.ring_file(tmp_path, 4)
    flows = [{"source": n, "destination": (n + 2) % 4, "size": "1MB"} for n in range(4)]
    late = {"source": 0, "destination": 1, "size": "1KB", "start": "900us"}
    scenario = {
        "run": {"seed": 3},
        "network": {
            "topology": {"file": file, "format": "graph"},
            "pfc": {"threshold": "5KB"},
        },
        "cc": {"algorithm": "none"},
        "traffic": [{"kind": "flows", "flows": [{"start": "0s", **f} for f in [*flows, late]]}],
        "measure": {"flows": {"which": "all", "every": "10us"}},
    }
    for threads in (1, 2):
        with pytest.raises(incast.StallError) as caught:
            incast.run(scenario, threads=threads)
        results = caught.value.results
        assert results.stall["found_ps"] == results.summary["simulated_ps"] == 900_000_000
        assert results.series.numbers("time_ps").max() <= 900_000_000
        assert results.stall["since_ps"] < 20_000_000
    network = incast.Network({key: scenario[key] for key in ("run", "network", "cc")})
    for flow in [*flows, late]:
        at = flow.get("start")
        network.start(flow["source"], flow["destination"], flow["size"], at=at)
    network.advance(until="500us")
    with pytest.raises(incast.network.NetworkStalledError):
        network.advance()
    assert network.now_ps == network.results().summary["simulated_ps"] == 900_000_000


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"run.on_deadlock": "report"}, "run.on_deadlock: a run that goes on after a deadlock"),
        ({"run.on_deadlock": "stpo"}, "run.on_deadlock: unknown value `stpo`; did you mean `stop`"),
        ({"run.stall_after": "1us"}, "run.stall_after: 1us is too short"),
    ],
)
def test_what_cannot_be_asked_for(ring, options, message):
    with pytest.raises(incast.ScenarioError, match=message):
        incast.Scenario(ring, **options)


def test_a_comparison_goes_on_after_a_deadlock(ring):
    with pytest.warns(UserWarning, match="deadlock of PFC"):
        compared = incast.compare(ring, ["rocc", "hpcc"])
    assert compared["rocc"].stall is not None
    assert list(compared) == ["rocc", "hpcc"]


def test_a_sweep_counts_a_deadlock_as_failed_and_goes_on(ring, tmp_path):
    sizes = {"network.buffer.size": ["520KB", "100MB"]}
    study = {"scenario": ring, "measure": "fct.mean", "vary": sizes}
    sweep = incast.sweep(study, store=tmp_path / "store")
    ((values, failure),) = sweep.failures.items()
    assert values == "network.buffer.size = 520KB"
    assert "deadlock of PFC since" in failure
    assert [value is None for value in sweep.dataset["fct.mean_ps"].to_pylist()] == [True, False]
    stored = {file: file.stat().st_mtime_ns for file in tmp_path.rglob("summary.json")}
    assert len(stored) == 2
    again = incast.sweep(study, store=tmp_path / "store")
    assert again.failures == sweep.failures
    assert {file: file.stat().st_mtime_ns for file in stored} == stored


def test_a_deadlock_is_drawn(ring, tmp_path):
    with pytest.raises(incast.StallError) as caught:
        incast.run(ring)
    page = caught.value.results.report(tmp_path / "report.html").read_text()
    assert page.count('<svg class="deadlock"') == 1
    assert all(f">{name}</text>" in page for name in scenarios.RING)
    assert "waits for</th>" in page


def test_circles_of_any_size_are_listed_and_small_ones_drawn():
    def port(number):
        where = {"switch": f"<s{number}>", "port": 1, "peer": f"s{number + 1}"}
        return where | {"paused_ps": 1_000, "flows": list(range(number))}

    assert deadlock.drawing([]) is None
    assert deadlock.drawing([port(number) for number in range(17)]) is None
    assert str(deadlock.drawing([port(0), port(1)])).count("&lt;s") == 2
    assert deadlock.rows([port(10)])[0][-1] == "0, 1, 2, 3, 4, 5, 6, 7 and 2 more"


def _never(done):
    raise AssertionError("nothing should run")


@pytest.mark.parametrize(
    "link",
    [
        {"delay": "6s", "rate": "1Mbps"},  # base RTT: 24 s
        {"rate": "400bps"},  # a packet of 1048 B takes 21 s on each of two links
    ],
    ids=["long", "slow"],
)
def test_the_guard_waits_longer_on_long_and_slow_links(link):
    results = incast.run(
        {
            "network": {
                "topology": {"kind": "star", "hosts": 3, **link},
                "buffer": {"size": "32MiB"},
            },
            "cc": {"algorithm": "none"},
            "measure": {"queues": {"every": "1s"}, "flows": {"every": "1s"}},
            "traffic": [
                {"kind": "flows", "flows": [{"source": 0, "destination": 1, "size": "2KB"}]}
            ],
        }
    )
    assert results.summary["flows"] == {"started": 1, "finished": 1}
    assert results.summary["simulated_ps"] > 24e12


def test_a_pause_that_lasts_counts_up_to_the_end(ring):
    """Ports of the ring are paused when the run stops: the pause counts from their last frame."""
    results = incast.run({**ring, "run": {"stop": "3ms"}})
    frames = curves(results.series, "pfc")
    labels = results.ports.categories("label")
    paused_ps = results.ports.numbers("paused_ps")
    found = dict(zip((labels.texts[place] for place in labels.indices), paused_ps, strict=True))
    lasting = 0
    for port, (times, paused) in frames.items():
        ends = [*times[1:], results.summary["simulated_ps"]]
        spans = zip(times, ends, paused, strict=True)
        expected = sum(int(end) - int(begin) for begin, end, is_paused in spans if is_paused)
        assert found[port] == expected, port
        lasting += int(paused[-1])
    assert lasting >= len(scenarios.RING)


@pytest.mark.parametrize(
    ("algorithm", "hosts", "size"), [("swift", 60, "50KB"), ("rocc", 4, "20KB")]
)
def test_flows_that_only_send_slowly_get_on(algorithm, hosts, size):
    """Rates far below the links': minutes pass without an ACK, and nothing is sent twice."""
    slow = {
        "network": {
            "topology": {"kind": "star", "hosts": hosts, "rate": "100kbps", "delay": "1us"},
            "buffer": {"size": "1GB"},
        },
        "cc": {"algorithm": algorithm},
        "traffic": [{"kind": "incast", "receiver": 0, "sizes": size}],
        "measure": {"queues": {"every": "1s"}, "flows": {"every": "1s"}},
    }
    results = incast.run(slow, folder=None)
    assert results.summary["flows"]["finished"] == hosts - 1
    assert "stall" not in results.summary or results.summary["stall"] is None


@pytest.mark.parametrize("enforcement", ["per-qp", "per-pair", "per-destination", "per-source"])
def test_flows_that_wait_for_their_own_pace_are_not_stuck(enforcement):
    """Swift's windows are a thousandth of a packet, over RTTs of seconds: minutes pass between two
    packets.
    """
    results = incast.run(
        {
            "network": {
                "topology": {"kind": "star", "hosts": 60, "rate": "100kbps", "delay": "1us"},
                "buffer": {"size": "1GB"},
            },
            "nic": {"enforcement": enforcement},
            "cc": {"algorithm": "swift"},
            "measure": {"queues": {"every": "1s"}, "flows": {"every": "1s"}},
            "traffic": [{"kind": "incast", "receiver": 0, "sizes": "50KB"}],
        }
    )
    assert results.summary["flows"] == {"started": 59, "finished": 59}
