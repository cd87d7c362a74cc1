"""Networks that a Python program drives."""

import _thread
import copy
import importlib.util
import operator
import os
import signal
import threading
from functools import partial
from pathlib import Path

import incast
import numpy as np
import pyarrow as pa
import pytest
import scenarios
from incast import AlgorithmError, Network, NetworkStalledError, RunError, ScenarioError

EXAMPLES = Path(__file__).parent.parent / "examples/live"

STAR = {"network": {"topology": {"kind": "star", "hosts": 4}}, "cc": {"algorithm": "hpcc"}}


def example(name):
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def traffic_of(flows):
    listed = [
        {"source": source, "destination": destination, "size": size, "start": f"{at}ps"}
        for source, destination, size, at in flows
    ]
    return [{"kind": "flows", "flows": listed}]


def ran(flows):
    return incast.run({**STAR, "traffic": traffic_of(flows)})


def test_flows_are_those_of_a_run():
    network = Network(STAR)
    assert network.start(0, 1, "1MB") == 0
    assert network.start(2, 1, 30_000, at="5us") == 1
    network.advance()
    results, whole = network.results(), ran([(0, 1, "1MB", 0), (2, 1, "30KB", 5_000_000)])
    assert results.summary["fingerprint"] == whole.summary["fingerprint"]
    assert not results.partial
    assert network.completed() == list(
        zip(whole["flow_id"], whole["start_ps"] + whole["fct_ps"], strict=True)
    )
    assert network.completed() == []
    assert len(network.received()) == 2


def test_it_halts_where_it_is_told_to():
    network = Network(STAR, cc="none")
    network.start(0, 1, "10KB")
    assert not network.advance("1us", halt="any")
    assert network.now_ps == 1_000_000
    assert network.advance(halt="received")
    (received,) = network.received()
    assert received == (0, network.now_ps)
    assert network.completed() == []
    assert network.advance(halt="completed")
    # The ACK of 60 B crosses two links of 100 Gb/s with 1 us of delay each.
    assert network.now_ps - received.time_ps == 2 * (1_000_000 + 4_800)
    assert not network.advance(halt="any")


def test_time_passes_in_an_idle_network():
    network = Network(STAR)
    network.advance("3ms")
    assert network.now_ps == 3_000_000_000
    network.start(0, 1, "1KB")
    assert network.advance(halt="completed")
    network.advance()
    assert network.results()["start_ps"].tolist() == [3_000_000_000]


def test_a_copy_goes_its_own_way():
    network = Network(STAR)
    network.start(0, 1, "1MB")
    network.advance("20us")
    alone, beside = network.copy(), copy.deepcopy(network)
    beside.start(2, 1, "1MB")
    for each in (alone, beside, network):
        each.advance()
    times = [each.results()["fct_ps"].max() for each in (alone, beside, network)]
    assert times[0] == times[2] < times[1]


def test_results_of_a_network_that_goes_on():
    network = Network(STAR)
    network.start(0, 1, "1MB")
    network.advance("20us")
    early = network.results()
    assert early.partial
    assert early.summary["flows"]["started"] == 1
    text = early.table()
    assert "At 20 µs of simulated time, with 1 flow under way: statistics of flows" in text
    assert "Interrupted" not in text
    network.advance()
    late = network.results()
    assert not late.partial
    assert early.identity != late.identity


def test_results_before_the_measuring_window_begins():
    """Flows arrive for 40 us: the measuring window begins after a fifth of that."""
    poisson = {"kind": "poisson", "sizes": "2KB", "load": 0.3, "duration": "40us"}
    measure = {"flows": {"every": "2us"}}
    network = Network({**STAR, "measure": measure, "traffic": [{"kind": "live"}, poisson]})
    network.advance("3us")
    results = network.results()
    assert results.summary["measuring_window"] == {"from_ps": 8_000_000, "until_ps": 8_000_000}
    assert "window is empty: it begins at 8 µs, the network stands at 3 µs" in results.table()


def test_traffic_by_name_with_algorithms_of_its_own():
    traffic = [
        {"kind": "live", "name": "storage", "cc": "dcqcn"},
        {"kind": "live", "name": "training"},
        {"kind": "flows", "flows": [{"source": 3, "destination": 1, "size": "10KB"}]},
    ]
    network = Network({**STAR, "traffic": traffic})
    network.start(0, 1, "1MB", traffic="training")
    network.start(2, 1, "1MB", traffic="storage")
    with pytest.raises(ScenarioError, match="there are several"):
        network.start(0, 1, "1MB")
    while network.advance(halt="any"):
        pass
    assert sorted(end.flow for end in network.completed()) == [0, 1]
    flows = network.results().flows
    assert sorted(flows["cc"]) == ["dcqcn", "hpcc", "hpcc"]
    assert sorted(flows["traffic"].tolist()) == [0, 1, 2]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"source": 4}, "host 4 does not exist"),
        ({"source": 1}, "itself"),
        ({"size": 0}, "a flow of 0 bytes never ends"),
        ({"size": "1 MB per second"}, "unknown unit `MB per second`"),
        ({"size": -1}, "a size is a text, .* or a whole number of bytes, not -1"),
        ({"size": 1.5}, "a size is a text, .* or a whole number of bytes, not 1.5"),
        ({"source": -1}, "a host is a number, counted from 0, or a name, not -1"),
        ({"destination": 1.0}, "a host is a number, counted from 0, or a name, not 1.0"),
        ({"destination": "gpu1"}, "hosts of this network have no names"),
        ({"size": True}, "a size is a text, .* or a whole number of bytes, not True"),
        ({"at": 2.5}, "a time is a text, .* or a whole number of ps, not 2.5"),
        ({"at": 2**70}, "a time is a text, .* or a whole number of ps, not 118"),
        ({"at": "1us"}, "1us has passed: it is 2us"),
        ({"traffic": "live2"}, "no live traffic is called `live2`"),
        ({"traffic": 0}, r"traffic is the name of an entry .* such as \"live\", or None, not 0"),
        ({"traffic": b"live"}, "traffic is the name of an entry .*, not b'live'"),
        ({"traffic": "\ud800"}, r"`\\ud800` is not text in UTF-8; write, or name, it in UTF-8"),
        ({"source": "\ud800"}, r"`\\ud800` is not text in UTF-8"),
        ({"size": "\ud800"}, r"`\\ud800` is not text in UTF-8"),
        ({"at": "\ud800"}, r"`\\ud800` is not text in UTF-8"),
    ],
)
def test_wrong_flows(arguments, message):
    network = Network(STAR)
    network.advance("2us")
    with pytest.raises((ScenarioError, TypeError, ValueError), match=message):
        network.start(**{"source": 0, "destination": 1, "size": "1KB"} | arguments)


def test_a_text_that_is_no_quantity_is_an_error_of_incast():
    network = Network(STAR)
    with pytest.raises(ScenarioError, match="`10Mb`: `Mb` counts bits, a size is in bytes"):
        network.start(0, 1, "10Mb")
    with pytest.raises(
        ScenarioError, match=r"`x` is not a number with a unit; write e\.g\. `12us`"
    ):
        network.start(0, 1, "10MB", at="x")
    with pytest.raises(ScenarioError, match="`10MB`: unknown unit `MB`"):
        network.advance("10MB")


def test_wrong_networks():
    with pytest.raises(RunError, match="no flows are started by a program"):
        Network("python/incast/scenarios/star16.toml")
    with pytest.raises(RunError, match=r"run\.stop: a live network goes on"):
        Network(STAR, stop="1ms")
    with pytest.raises(RunError, match=r"a program starts these flows .* incast\.Network"):
        incast.run({**STAR, "traffic": [{"kind": "live"}]})
    with pytest.raises(ScenarioError, match="a memory fabric cannot be driven"):
        Network("examples/fabric.toml")
    with pytest.raises(ValueError, match="`end` is nothing to halt at"):
        Network(STAR).advance(halt="end")
    with pytest.raises(TypeError, match="a time is a text"):
        Network(STAR).advance(1.5)


def test_a_deadlock_is_told():
    network = Network(
        {
            "network": {
                "topology": {"kind": "torus", "dimensions": [5], "hosts_per_switch": 1},
                "buffer": {"size": "300KB"},
                "link_delay": "1us",
            },
            "cc": {"algorithm": "none"},
        }
    )
    for host in range(5):
        network.start(host, (host + 2) % 5, "20MB")
    with pytest.raises(NetworkStalledError, match="deadlock"):
        network.advance()
    with pytest.raises(NetworkStalledError, match="deadlock"):
        network.advance("1s")
    assert network.results().stall is not None


ALGORITHM = """
import incast
from incast.algorithm import Algorithm, SendLimit

class Mine(Algorithm):
    def __init__(self, flow, parameters):
        super().__init__(flow, parameters)
        self.acks = 0
        self.all = [0]
        {more}
    def on_ack(self, now, ack):
        self.acks += 1
        {on_ack}
        if self.acks == {fails_after}:
            raise {error}
    def limit(self):
        return SendLimit(window_bytes=20_000 + 100 * self.acks + 10 * self.all[0])
"""


def own_algorithm(folder, fails_after, error='RuntimeError("enough")', more="", on_ack=""):
    file = folder / "mine.py"
    settings = {"fails_after": fails_after, "error": error, "more": more, "on_ack": on_ack}
    file.write_text(ALGORITHM.format(**settings))
    return Network({**STAR, "cc": {"algorithm": str(file)}})


def test_objects_of_an_algorithm_are_copied(tmp_path):
    network = own_algorithm(tmp_path, -1)
    network.start(0, 1, "1MB")
    network.advance("30us")
    other = network.copy()
    for each in (network, other):
        each.advance()
    one, same = network.results(), other.results()
    assert one.summary["fingerprint"] == same.summary["fingerprint"]


def test_an_algorithm_that_raises(tmp_path):
    network = own_algorithm(tmp_path, 20)
    network.start(0, 1, "1MB")
    with pytest.raises(AlgorithmError, match="enough"):
        network.advance()


BUSY = "the network is in the middle of a call: a method of an algorithm, or another thread"


@pytest.mark.parametrize(
    "call",
    [
        lambda network: network.start(0, 1, 1),
        lambda network: network.advance(),
        lambda network: network.now_ps,
        lambda network: network.received(),
        lambda network: network.flow_id(0),
        lambda network: network.copy(),
        lambda network: network.results(),
    ],
)
def test_an_algorithm_that_calls_its_network(tmp_path, call, monkeypatch):
    hook = "import builtins; builtins.incast_hook()"
    network = own_algorithm(tmp_path, -1, on_ack=hook)
    monkeypatch.setattr("builtins.incast_hook", lambda: call(network), raising=False)
    network.start(0, 1, "1MB")
    with pytest.raises(AlgorithmError, match=BUSY) as raised:
        network.advance()
    assert isinstance(raised.value.__cause__, RunError)


def test_two_threads_that_call_one_network(tmp_path, monkeypatch):
    called, told = threading.Event(), threading.Event()
    found = []

    def hook():
        called.set()
        told.wait(300)

    def other():
        called.wait(300)
        try:
            network.advance()
        except RunError as error:
            found.append(str(error))
        told.set()

    monkeypatch.setattr("builtins.incast_hook", hook, raising=False)
    network = own_algorithm(tmp_path, -1, on_ack="import builtins; builtins.incast_hook()")
    network.start(0, 1, "1MB")
    thread = threading.Thread(target=other)
    thread.start()
    network.advance()
    thread.join()
    assert len(found) == 1
    assert BUSY in found[0]
    assert len(network.completed()) == 1


def test_an_algorithm_that_raised_does_not_go_on(tmp_path):
    network = own_algorithm(tmp_path, 20)
    network.start(0, 1, "1MB")
    before = network.copy()
    with pytest.raises(AlgorithmError, match="enough"):
        network.advance()
    with pytest.raises(RunError, match=r"this network does not go on: .*enough"):
        network.advance()
    with pytest.raises(ScenarioError, match="this network does not go on"):
        network.start(0, 1, "1MB", at="1s")
    with pytest.raises(AlgorithmError, match="enough"):
        before.advance()


def test_ctrl_c_in_an_algorithm_ends_its_network(tmp_path):
    network = own_algorithm(tmp_path, 20, "KeyboardInterrupt()")
    network.start(0, 1, "1MB")
    with pytest.raises(KeyboardInterrupt, match="in a method of an algorithm"):
        network.advance()
    with pytest.raises(RunError, match="this network does not go on"):
        network.advance()


def test_objects_that_cannot_be_copied(tmp_path):
    network = own_algorithm(tmp_path, -1, more="self.lock = __import__('threading').Lock()")
    network.start(0, 1, "1MB")
    network.advance("10us")
    with pytest.raises(TypeError, match="lock"):
        network.copy()
    assert network.advance(halt="completed")


def test_objects_of_flows_share_in_a_copy_what_they_share(tmp_path):
    shared = "self.all = Mine.__dict__.get('all') or setattr(Mine, 'all', [0]) or Mine.all"
    network = own_algorithm(tmp_path, -1, more=shared, on_ack="self.all[0] += 1")
    for source in (0, 2, 3):
        network.start(source, 1, "300KB")
    network.advance("20us")
    other = network.copy()
    for each in (network, other):
        each.advance()
    one, same = network.results(), other.results()
    assert one.summary["fingerprint"] == same.summary["fingerprint"]


def test_copies_of_networks_with_one_random_stream_are_refused():
    settings = {"network": {"topology": {"kind": "star", "hosts": 4}, "profile": "hpcc-ns3"}}
    network = Network({**settings, "cc": {"algorithm": "dcqcn"}})
    with pytest.raises(ScenarioError, match="draw their marks from one stream"):
        network.copy()
    network.start(0, 1, "1MB")
    network.advance()
    assert not network.results().partial


def test_results_have_what_has_started():
    network = Network(STAR)
    network.start(0, 1, "1MB", at="300ns")
    network.start(2, 1, "1MB", at="700ns")
    network.advance("500ns")
    stopped = incast.run(
        {
            **STAR,
            "run": {"stop": "500ns"},
            "traffic": [
                {
                    "kind": "flows",
                    "flows": [{"source": 0, "destination": 1, "size": "1MB", "start": "300ns"}],
                }
            ],
        }
    )
    results = network.results()
    assert results.summary["fingerprint"] == stopped.summary["fingerprint"]
    assert results.summary["flows"]["started"] == 1
    assert results.summary["simulated_ps"] == 500_000
    others = []
    for size in ("1MB", "2MB"):
        other = Network(STAR)
        other.start(0, 1, size)
        other.advance("20us")
        others.append(other.results().identity)
    assert len(set(others)) == 2


def test_numbers_of_flows_in_results():
    network = Network(STAR)
    later, first = network.start(0, 1, "1MB", at="50us"), network.start(2, 3, "1KB")
    assert (network.flow_id(later), network.flow_id(first)) == (None, None)
    network.advance()
    assert (network.flow_id(later), network.flow_id(first)) == (1, 0)
    assert network.flow_id(17) is None
    for number in (-1, 2**70):
        with pytest.raises(ScenarioError, match=f"no flow has the number {number}; give one that"):
            network.flow_id(number)
    with pytest.raises(TypeError):
        network.flow_id("a")


def test_links_that_change_amid_a_window():
    fault = {"kind": "degraded", "links": ["host 1"], "rate": "25Gbps"}
    fault |= {"from": "5100ns", "until": "50us"}
    for at in (3_300_000, 4_000_000, 4_700_000):
        flows = [(2, 0, "100KB", 0), (0, 1, "1KB", at)]
        whole = incast.run({**STAR, "fault": [fault], "traffic": traffic_of(flows)})
        network = Network({**STAR, "fault": [fault]})
        for source, to, size, start in flows:
            network.start(source, to, size, at=start)
        while network.advance(halt="any"):
            pass
        assert network.results().summary["fingerprint"] == whole.summary["fingerprint"]


def test_ctrl_c_leaves_a_network_that_goes_on():
    network = Network({**STAR, "network": {"topology": {"kind": "star", "hosts": 40}}})
    for host in range(39):
        network.start(host, 39, "40MB")
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        network.advance()
    timer.join()
    before = network.now_ps
    network.advance(before + 1_000_000)
    assert network.now_ps == before + 1_000_000


def told_to_end(call):
    """Whether a call of the core notices, after some 50 ms, a signal that came as the call began.
    The interpreter would notice it only after the call.
    """
    ended = []
    with pytest.raises(KeyboardInterrupt):
        ended.extend(map(operator.call, [_thread.interrupt_main, call]))
    return len(ended) == 1


def test_ctrl_c_ends_the_wait_for_results():
    network = Network({**STAR, "measure": {"fair_share": "all"}}, cc="none")
    rng = np.random.default_rng(1)
    for at in np.sort(rng.integers(10**8, size=6_000)).tolist():
        network.start(*rng.permutation(4)[:2].tolist(), 200_000, at=at)
    network.advance()
    assert told_to_end(network._core.results)
    assert network.results().summary["flows"]["finished"] == 6_000


def test_ctrl_c_is_heard_while_ends_pass_that_nothing_waits_for():
    scenario = {
        "network": {
            "topology": {"kind": "star", "hosts": 3, "rate": "800Gbps", "delay": "1ms"},
            "flow_control": "none",
            "buffer": {"size": "10GB"},
        },
        "cc": {"algorithm": "none"},
        "traffic": [
            {"kind": "live"},
            {"kind": "poisson", "sizes": "1B", "load": 0.009, "count": 100_000},
        ],
        "measure": {"flows": {"which": "none"}, "queues": {"ports": "none"}},
    }
    network = Network(scenario)
    network.start(2, 1, "1KB", at="10ms")
    assert told_to_end(partial(network._core.advance, None, [True, False]))
    assert network.advance("3ms") is False


def test_a_network_goes_on_where_it_was_interrupted():
    """The interrupt comes amid a step of 5 ms, in which some hosts are further than others."""
    star = {"kind": "star", "hosts": 8, "delay": "5ms"}
    measure = {"flows": {"which": "none"}, "queues": {"ports": "none"}}
    networks = []
    for _ in range(2):
        scenario = {"network": {"topology": star, "flow_control": "none"}, "measure": measure}
        network = Network(scenario, cc="none")
        for number in range(60_000):
            network.start(number % 7, 7, 200, at=number * 70_000)
        networks.append(network)
    interrupted, other = networks
    assert told_to_end(partial(interrupted._core.advance, None, [False, True]))
    now = interrupted.now_ps
    assert now % 5_000_000_000
    assert all(time <= now for _, time in interrupted.received())
    other.advance(now)
    for network in networks:
        for source in range(7):
            network.start(source, 7, 30_000, at=now + 1_000_000)
        network.advance()
    one, same = (network.results() for network in networks)
    assert one.summary["fingerprint"] == same.summary["fingerprint"]


def test_the_ring_of_the_four_calls_is_our_own(capsys):
    here, there = example("astra_sim").main()
    assert here == there
    assert "four calls" in capsys.readouterr().out


def test_the_serving_loop(capsys):
    serving = example("serving")
    serving.REQUESTS = 20
    serving.main(["hpcc", "swift"])
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[2:]] == ["hpcc", "swift"]
    transfers, first_tokens = serving.serve("hpcc")
    assert len(transfers) == 20
    assert np.all(np.array(first_tokens) > np.array(transfers))
    # 200 tokens of 320 KB take 5.12 ms at 100 Gb/s.
    assert min(transfers) > 5.12


def test_a_file_that_changes_is_told(tmp_path):
    file = tmp_path / "flows.csv"
    flows = "source,destination,size_bytes,start_us\n0,1,1000,0\n2,1,1000,50\n"
    file.write_text(flows)
    entry = {"kind": "file", "file": str(file), "format": "csv"}
    network = Network({**STAR, "traffic": [entry, {"kind": "live"}]})
    network.advance("20us")
    file.write_text(flows.replace("1000", "5000"))
    for call in (network.copy, network.results, network.advance):
        with pytest.raises(ScenarioError, match="changed while the run read it") as raised:
            call()
        assert raised.value.file == str(file)


def test_idle_time_is_that_of_the_model_however_long_steps_are():
    """Two flows with a gap between them, sampled every 100 ns. The gap has its first and its last
    sample whether or not it fits into a step, both in a run and in a driven network.
    """
    measure = {"queues": {"every": "100ns"}, "flows": {"which": "all", "every": "100ns"}}
    rows = []
    for gap in (30, 60, 200):
        flows = [(0, 1, "10KB", 0), (0, 1, "10KB", gap * 1_000_000)]
        whole = incast.run({**STAR, "measure": measure, "traffic": traffic_of(flows)})
        network = Network({**STAR, "measure": measure})
        for source, to, size, start in flows:
            network.start(source, to, size, at=start)
        network.advance()
        driven = network.results()
        assert pa.table(driven.series).to_pylist() == pa.table(whole.series).to_pylist()
        rows.append(len(whole.series))
    assert rows[0] == rows[1] == rows[2]


@pytest.mark.parametrize("switches", [5, 6])
def test_a_deadlock_is_found_at_one_moment(switches, tmp_path):
    """In a run, two sides of a ring of six switches take turns; a ring of five has no such
    sides.
    """
    network = {
        "topology": {"file": scenarios.ring_file(tmp_path, switches), "format": "graph"},
        "buffer": {"size": "400KB"},
        "pfc": {"threshold": "20KB"},
    }
    scenario = {"network": network, "cc": {"algorithm": "none"}}
    flows = [(n, (n + 2) % switches, "2MB", 0) for n in range(switches) for _ in range(4)]
    stalls = []
    for threads in (1, 2):
        with pytest.raises(incast.StallError) as stalled:
            incast.run({**scenario, "traffic": traffic_of(flows)}, threads=threads)
        stalls.append(stalled.value.results.summary)
    driven = Network(scenario)
    for source, to, size, start in flows:
        driven.start(source, to, size, at=start)
    with pytest.raises(NetworkStalledError):
        driven.advance()
    stalls.append(driven.results().summary)
    for key in ("stall", "simulated_ps", "fingerprint"):
        assert stalls[0][key] == stalls[1][key] == stalls[2][key], key
