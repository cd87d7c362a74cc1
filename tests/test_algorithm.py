"""Algorithms in Python: finding, checking, running and comparing them, and their errors."""

import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import incast
import pytest
from incast.algorithm import Bytes, Rate, SendLimit, Time, Window
from incast.cli import main

TEMPLATE = Path(incast.__file__).parent / "templates" / "algorithm.py"

NETWORK = {
    "network": {"topology": {"kind": "star", "hosts": 5}},
    "cc": {"algorithm": "none"},
    "traffic": [{"kind": "incast", "receiver": 0, "sizes": "300KB"}],
}

LINE_RATE = """
from incast.algorithm import Algorithm, SendLimit

class Mine(Algorithm):
    def on_ack(self, now_ps, ack):
        pass

    def limit(self):
        return SendLimit()
"""


@pytest.fixture
def own(tmp_path):
    """Writes a file with an algorithm, and gives its path."""

    def write(text, name="mine.py"):
        file = tmp_path / name
        file.write_text(text)
        return str(file)

    return write


def test_an_algorithm_runs_wherever_a_name_goes(own, tmp_path):
    file = own(LINE_RATE)
    by_override = incast.run(NETWORK, cc=file)
    assert by_override.algorithm == "mine"
    assert by_override.fingerprint == incast.run(NETWORK).fingerprint
    scenario = tmp_path / "scenario.toml"
    text = incast.toml.dumps(NETWORK | {"cc": {"algorithm": "mine.py"}})
    scenario.write_text(text)
    assert incast.run(scenario).fingerprint == by_override.fingerprint
    compared = incast.compare(NETWORK, [file, "none"])
    assert [run.algorithm for run in compared.values()] == ["mine", "none"]


def test_what_it_is_told_and_says_has_the_engines_units(own):
    file = own(
        """
from incast.algorithm import *

class Mine(Algorithm):
    needs = Needs(timestamps=True, int="data", ecn={"step": "5 packets"})

    def __init__(self, flow, parameters):
        assert (flow.line_rate_bps, flow.mtu_bytes, flow.size_bytes) == (10**11, 1000, 300_000)
        assert flow.bdp_bytes == flow.base_rtt_ps * 100 // 8000
        self.last = None

    def on_ack(self, now_ps, ack):
        assert ack.newly_acked_bytes == 1000 and ack.switch_hops == 1
        assert 4_000_000 < ack.round_trip_ps <= now_ps
        (hop,) = ack.telemetry
        assert hop.link_rate_bps == 10**11
        if self.last:
            # At line rate, or slower.
            assert 0 < hop.sent_bytes(self.last) * 80 <= hop.elapsed_ps(self.last) + 8 * 100_000
        self.last = hop

    def limit(self):
        return SendLimit(window_bytes=20_000, rate_bps=5e10)
"""
    )
    results = incast.run(NETWORK, cc=file, **{"traffic.0.senders": "1"})
    # Of 300 packets of 1090 B, 299 leave at 50 Gb/s and the last at line rate.
    assert results.completed.numbers("fct_ps")[0] >= 299 * 1090 * 160


def test_a_file_is_part_of_the_identity(own):
    before = incast.Scenario(NETWORK, cc=own(LINE_RATE))
    after = incast.Scenario(NETWORK, cc=own(LINE_RATE + "# changed\n"))
    elsewhere = incast.Scenario(NETWORK, cc=own(LINE_RATE, "other.py"))
    assert before.identity != after.identity
    assert elsewhere.identity == before.identity
    assert before.single_threaded_because == "its algorithm is no part of this program"


def test_parameters_have_units_and_defaults():
    scenario = incast.Scenario(NETWORK, cc=str(TEMPLATE), **{"cc.beta": 0.25})
    cc = scenario.to_dict()["cc"]
    assert cc["algorithm"] == "external"
    assert cc["file"] == str(TEMPLATE)
    assert (cc["additive_increase"], cc["beta"]) == ("1 packet", 0.25)
    again = incast.Scenario(scenario.to_dict())
    assert again.identity == scenario.identity
    assert scenario.algorithm == "algorithm"
    slower = incast.Scenario(NETWORK, cc=str(TEMPLATE), **{"cc.additive_increase": "50Mbps"})
    assert slower.identity != scenario.identity


def test_quantities_are_numbers():
    assert (Time("10us"), Rate("50Mbps"), Bytes("50KB")) == (10_000_000, 50_000_000, 50_000)
    assert str(Window("0.5 packets")) == "0.5 packets"
    assert {Window("bdp"), Window("bdp")} == {Window("bdp")}
    with pytest.raises(ValueError, match=r"`10` has no unit; write e.g. `10us`"):
        Time("10")
    with pytest.raises(ValueError, match="unknown pacing `regulr`; did you mean `regular`"):
        SendLimit(pacing="regulr")
    for wrong in ({"window_bytes": 0}, {"window_bytes": float("nan")}, {"rate_bps": 0.5}):
        with pytest.raises(ValueError, match=r"is no (window|rate)"):
            SendLimit(**wrong)


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"cc.bta": 0.5}, "cc.bta: unknown key `bta`; did you mean `beta`?"),
        ({"cc.beta": "0.5"}, 'cc.beta: `"0.5"` is text; write a number'),
        ({"cc.beta": float("nan")}, "cc.beta: this is not finite; write a number"),
        ({"cc.beta": float("inf")}, "cc.beta: this is not finite; write a number"),
        ({"cc.additive_increase": 1}, "cc.additive_increase: `1` has no unit; write it with"),
        ({"cc.additive_increase": "1"}, "cc.additive_increase: `1` has no unit; write e.g. `1 p"),
    ],
)
def test_wrong_parameters_are_told(setting, message):
    with pytest.raises(incast.ScenarioError) as told:
        incast.Scenario(NETWORK, cc=str(TEMPLATE), **setting)
    assert message in str(told.value)


def test_a_wrong_parameter_has_its_line(own, tmp_path):
    own(TEMPLATE.read_text())
    scenario = tmp_path / "run.toml"
    scenario.write_text(
        '[network]\ntopology = "star"\n[cc]\nalgorithm = "mine.py"\nbeta = true\n'
        '[[traffic]]\nkind = "incast"\nreceiver = 0\nsizes = "1MB"\n'
    )
    with pytest.raises(incast.ScenarioError, match=r"run.toml:5: cc.beta: `true` is a boolean"):
        incast.Scenario(scenario)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = 1\n", "mine.py: there is no algorithm in this file; write e.g. class Mine(Algor"),
        ("x = (\n", "mine.py:1: SyntaxError: '(' was never closed"),
        ("\nx = 1 / 0\n", "mine.py:2: ZeroDivisionError: division by zero"),
        ("import sys\nsys.exit(3)\n", "mine.py:2: SystemExit: 3"),
        ("import nowhere_at_all\n", "mine.py:1: ModuleNotFoundError: No module named"),
        (
            "from incast.algorithm import Algorithm\nclass Mine(Algorithm):\n"
            "    def limit(self): ...\n",
            "mine.py: Mine has no method `on_ack`; add it",
        ),
        (
            LINE_RATE + "class Other(Mine): ...\n",
            "several algorithms in this file: Mine, Other; name one: mine.py:Mine",
        ),
        (
            LINE_RATE.replace("class", "from dataclasses import dataclass\nclass").replace(
                "    def on_ack",
                "    @dataclass\n    class Parameters:\n        beta: float\n\n    def on_ack",
            ),
            "mine.py: parameter `beta` has no default; give it one",
        ),
    ],
)
def test_files_that_cannot_be_used_are_told(own, text, message):
    with pytest.raises(incast.ScenarioError) as told:
        incast.Scenario(NETWORK, cc=own(text))
    assert message in str(told.value)


def test_a_file_or_class_that_is_not_there_is_told(own, tmp_path):
    file = own(LINE_RATE)
    with pytest.raises(incast.ScenarioError, match=r"no such file; in .* there are mine.py"):
        incast.Scenario(NETWORK, cc=str(tmp_path / "mien.py"))
    with pytest.raises(incast.ScenarioError, match=r"no algorithm `Mien`; available: Mine"):
        incast.Scenario(NETWORK, cc=f"{file}:Mien")
    assert incast.Scenario(NETWORK, cc=f"{file}:Mine").algorithm == "mine"


RAISES = LINE_RATE.replace("pass", "assert ack.next_expected < 200_000, 'too far'")


def test_an_exception_ends_the_run_and_is_the_cause(own):
    scenario = incast.Scenario(NETWORK, cc=own(RAISES))
    with pytest.raises(incast.AlgorithmError, match="AssertionError: too far, in `on_ack`") as told:
        incast.run(scenario)
    error = told.value
    assert isinstance(error.__cause__, AssertionError)
    assert (error.method, error.flow) == ("on_ack", 0)
    assert 4_000_000 < error.time_ps < 200_000_000
    # A failed run leaves nothing behind for the next one.
    assert incast.run(NETWORK, cc=own(LINE_RATE, "good.py")).stall is None
    with pytest.raises(incast.AlgorithmError, match="too far"):
        incast.run(scenario)


@pytest.mark.parametrize(
    ("limit", "message"),
    [
        ("None", r"TypeError: limit\(\) gave .*NoneType.*, not an incast.SendLimit"),
        ("SendLimit(window_bytes=-1)", "ValueError: window_bytes: -1 is no window"),
    ],
)
def test_answers_that_are_none_are_told(own, limit, message):
    with pytest.raises(incast.AlgorithmError, match=message):
        incast.run(NETWORK, cc=own(LINE_RATE.replace("SendLimit()", limit)))


def test_every_method_is_called(own):
    """Timers every 10 us, CNPs, sent packets, probes; losses with small buffers."""
    text = """
from incast.algorithm import *

class Mine(Algorithm):
    needs = Needs(ecn=True, cnp="4us")

    def __init__(self, flow, parameters):
        self.told = dict.fromkeys(["sent", "loss", "cnp", "timer"], 0)
        self.next = 0

    def on_ack(self, now_ps, ack): ...
    def on_sent(self, now_ps, sent):
        assert sent.wire_bytes > sent.payload_bytes
        self.told["sent"] += 1
    def on_loss(self, now_ps, loss):
        assert loss.kind in ("nack", "timeout")
        self.told["loss"] += 1
    def on_cnp(self, now_ps, cnp):
        assert cnp.rate_bps is None
        self.told["cnp"] += 1
    def on_timer(self, now_ps):
        assert now_ps == self.next
        self.told["timer"] += 1
        self.next += Time("10us")
    def next_timer(self): return self.next
    def limit(self): return SendLimit(window_bytes=100_000)
    def probe(self): return {name: float(count) for name, count in self.told.items()}
"""
    results = incast.run(
        NETWORK,
        cc=own(text),
        **{
            "network.flow_control": "none",
            "network.buffer.size": "100KB",
            "measure.flows": {"every": "5us", "probes": True},
        },
    )
    names, _ = results.series.categories("measure")
    assert {"cc_sent", "cc_loss", "cc_cnp", "cc_timer"} <= set(names)
    assert results.summary["flows"]["finished"] == 4


def test_changes_of_paths_are_told(own):
    """Some flows between the leaves cross the spine whose link fails. The change of the path in INT
    is told just before the first ACK with the new path.
    """
    text = """
from incast.algorithm import Algorithm, Needs, SendLimit

class Mine(Algorithm):
    needs = Needs(int="data")

    def __init__(self, flow, parameters):
        self.changes, self.changed_at = 0, None

    def on_path_change(self, now_ps):
        self.changes, self.changed_at = self.changes + 1, now_ps

    def on_ack(self, now_ps, ack):
        assert self.changed_at is None or now_ps >= self.changed_at

    def limit(self): return SendLimit(window_bytes=100_000)
    def probe(self): return {"changes": float(self.changes)}
"""
    network = {
        "topology": {"kind": "leaf-spine", "leaves": 2, "spines": 2, "hosts_per_leaf": 4},
        "recovery": {"timeout": "100us"},
    }
    fault = {"kind": "down", "between": ["switch 8", "switch 10"], "detection": "10us"}
    scenario = {
        "network": network,
        "fault": [fault | {"from": "100us"}],
        "traffic": [{"kind": "permutation", "sizes": "4MB", "shift": 4}],
        "measure": {"flows": {"every": "20us", "probes": True}},
    }
    results = incast.run(scenario, cc=own(text))
    names, codes = results.series.categories("measure")
    changes = results.series["value"][codes == list(names).index("cc_changes")]
    assert changes.max() >= 1
    scenario["fault"] = []
    results = incast.run(scenario, cc=own(text))
    names, codes = results.series.categories("measure")
    assert results.series["value"][codes == list(names).index("cc_changes")].max() == 0


def test_the_template_runs_in_three_commands_from_an_empty_folder(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["new-algorithm", "mine"]) == 0
    assert "incast run SCENARIO --cc mine.py" in capsys.readouterr().out
    assert main(["new-algorithm", "mine"]) == 2
    assert "mine.py: exists already; take another name" in capsys.readouterr().err
    (tmp_path / "run.toml").write_text(incast.toml.dumps(NETWORK))
    assert main(["run", "run.toml", "--cc", "mine.py", "--quiet"]) == 0
    assert "run: mine, profile default" in capsys.readouterr().out
    (tmp_path / "mine.py").write_text(RAISES)
    assert main(["run", "run.toml", "--cc", "mine.py", "--quiet"]) == 1
    told = capsys.readouterr().err
    assert "line 6, in on_ack" in told
    assert told.splitlines()[-1].startswith("error: run")


def test_runs_are_the_same_in_another_process(tmp_path):
    script = (
        "import incast, sys; print(incast.run("
        f"{NETWORK!r}, cc={str(TEMPLATE)!r}, seed=3).fingerprint)"
    )
    runs = [
        subprocess.run([sys.executable, "-c", script], capture_output=True, check=True, text=True)
        for _ in range(2)
    ]
    here = incast.run(NETWORK, cc=str(TEMPLATE), seed=3).fingerprint
    assert {run.stdout.strip() for run in runs} == {here}


def test_the_guide_shows_the_template():
    guide = Path(__file__).parent.parent / "docs" / "own-algorithms.md"
    assert f"```python\n{TEMPLATE.read_text()}```" in guide.read_text()


def test_needs_are_checked(own):
    text = LINE_RATE.replace("class Mine(Algorithm):", "class Mine(Algorithm):\n    needs = NEEDS")
    for needs, message in [
        ("None", "`needs` is no Needs"),
        ("Needs(int='dta')", "unknown variant `dta`"),
        ("Needs(ecn={'stp': '5 packets'})", "unknown field `stp`"),
        ("Needs(ecn={'per_tier': [{'tier': 'leaf', 'step': '1KB'}]})", "one rule for all ports"),
        ("Needs(cnp='5')", "`5` has no unit"),
    ]:
        file = own("from incast.algorithm import Needs\n" + text.replace("NEEDS", needs))
        with pytest.raises(incast.ScenarioError) as told:
            incast.Scenario(NETWORK, cc=file)
        assert message in str(told.value)


LOSSES = {"network.flow_control": "none", "network.buffer.size": "100KB"}


@pytest.mark.parametrize("changes", [{}, LOSSES], ids=["pfc", "losses"])
def test_python_and_rust_give_the_same(changes):
    """Covers marks, windows of data, slow start, NACKs and timeouts."""
    mixed = NETWORK | {
        "traffic": [
            {"kind": "incast", "receiver": 0, "sizes": "1MB"},
            {"kind": "poisson", "sizes": "fb-hadoop", "load": 0.6, "duration": "300us"},
        ]
    }
    written = incast.run(mixed, cc="ecn-tcp", **changes)
    own = incast.run(mixed, cc=str(Path(__file__).parent / "algorithms" / "ecn_tcp.py"), **changes)
    assert own.fingerprint == written.fingerprint
    packets = written.summary["packets"]
    assert [packets["marked"] > 0, packets["retransmitted"] > 0] == [not changes, bool(changes)]


TIMER = (
    LINE_RATE
    + """
    now = 0
    def on_timer(self, now_ps): self.now = now_ps
    def next_timer(self): return NEXT
"""
)


@pytest.mark.parametrize("next_timer", ["0", "self.now", "max(self.now - 5, 0)"])
def test_timers_that_stand_still_are_told(own, next_timer):
    with pytest.raises(incast.AlgorithmError, match=r"next_timer\(\) gave no time"):
        incast.run(NETWORK, cc=own(TIMER.replace("NEXT", next_timer)))


ROUND_TRIPS = LINE_RATE.replace("SendLimit\n", "Needs, SendLimit\n").replace(
    "pass", "self.seconds = ack.round_trip_ps / 1e12"
)


def test_a_round_trip_that_was_not_asked_for_is_told(own):
    with pytest.raises(incast.AlgorithmError) as told:
        incast.run(NETWORK, cc=own(ROUND_TRIPS))
    assert str(told.value).endswith("unless the class has needs = Needs(timestamps=True)")
    asked = ROUND_TRIPS.replace("(Algorithm):", "(Algorithm):\n    needs = Needs(timestamps=True)")
    incast.run(NETWORK, cc=own(asked))
    with pytest.raises(incast.AlgorithmError) as told:
        incast.run(NETWORK, cc=own(asked.replace("1e12", "None")))
    assert "timestamps" not in str(told.value)


@pytest.mark.parametrize(
    ("method", "text"),
    [
        ("limit", LINE_RATE.replace("SendLimit()", "1 / 0")),
        ("next_timer", TIMER.replace("NEXT", "1 / 0")),
        ("next_timer", TIMER.replace("NEXT", "-1.0")),
        ("__init__", LINE_RATE + "\n    def __init__(self, flow, parameters): 1 / 0\n"),
    ],
)
def test_an_error_when_a_flow_begins_names_the_method(own, method, text):
    """The limit and the timer are read as soon as the object is made."""
    with pytest.raises(incast.AlgorithmError, match=f"in `{method}` of mine, flow 0") as told:
        incast.run(NETWORK, cc=own(text))
    assert (told.value.method, told.value.time_ps) == (method, 0)


@pytest.mark.parametrize(("name", "meant"), [("on_los", "on_loss"), ("on_send", "on_sent")])
def test_a_misspelt_hook_is_refused(own, name, meant):
    text = f"{LINE_RATE}\n    def {name}(self, now_ps, event): pass\n"
    with pytest.raises(incast.ScenarioError, match=f"`{name}` of Mine .* did you mean `{meant}`"):
        incast.Scenario(NETWORK, cc=own(text))
    incast.Scenario(NETWORK, cc=own(text.replace(name, f"_{name}")))
    incast.Scenario(NETWORK, cc=own(text.replace(name, "next")))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (LINE_RATE.replace("def on_ack", "async def on_ack"), "`on_ack` of Mine is a coroutine"),
        (LINE_RATE.replace("pass", "yield"), "`on_ack` of Mine is a coroutine, or has a `yield`"),
        (
            LINE_RATE.replace("    def on_ack", "    name = 5\n    def on_ack"),
            "name = 5 is no name",
        ),
        (LINE_RATE.replace("    def on_ack", "    name = 'hpcc'\n    def on_ack"), "comes with"),
    ],
)
def test_what_would_run_as_something_else_is_refused(own, text, message):
    with pytest.raises(incast.ScenarioError) as told:
        incast.Scenario(NETWORK, cc=own(text))
    assert message in str(told.value)


LOOPS = LINE_RATE.replace(
    "pass",
    "print('looping', flush=True) if ack.next_expected == 9000 else None\n"
    "        while ack.next_expected >= 9000: pass",
)


@pytest.mark.parametrize("command", ["run", "compare", "sweep", "check-algorithm"])
def test_an_algorithm_that_does_not_return_ends_by_ctrl_c(tmp_path, own, command):
    own(LOOPS)
    (tmp_path / "run.toml").write_text(incast.toml.dumps(NETWORK))
    (tmp_path / "study.toml").write_text(
        'scenario = "run.toml"\nmeasure = "fct.p99"\n[vary]\ncc = ["mine.py"]\nseed = [1, 2]\n'
    )
    arguments = {
        "run": ["run.toml", "--cc", "mine.py"],
        "compare": ["run.toml", "--cc", "none,mine.py"],
        "sweep": ["study.toml"],
        "check-algorithm": ["mine.py"],
    }[command]
    assert code_after_ctrl_c(tmp_path, command, *arguments) == 130


def code_after_ctrl_c(folder, *arguments):
    """The exit code of a command that gets Ctrl-C once its algorithm prints that it loops."""
    with subprocess.Popen(
        [sys.executable, "-m", "incast", *arguments],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as program:
        try:
            assert b"looping" in program.stdout.readline()
            program.send_signal(signal.SIGINT)
            program.communicate(timeout=300)
        except subprocess.TimeoutExpired:
            program.kill()
    return program.returncode


def test_the_program_ends_beside_a_thread_that_loops(tmp_path, own):
    """The thread waits for the interpreter's lock again and again while Python shuts down, which
    takes long with many objects.
    """
    own(LOOPS)
    program = f"""
        import sys, threading
        import incast
        from incast import cli

        class Looping:
            def write(self, text):
                going.set()
            def flush(self):
                pass

        going = threading.Event()
        sys.setswitchinterval(1e-6)
        # Kept: `print` in a thread may crash Python if its stream is freed meanwhile.
        looping = Looping()
        printed, sys.stdout = sys.stdout, looping
        run = lambda: incast.run({NETWORK!r}, cc="mine.py")
        threading.Thread(target=run, daemon=True).start()
        going.wait()
        sys.stdout = printed
        kept = [[number] for number in range(300_000)]
        sys.argv = ["incast", "list"]
        cli.program()
    """
    command = [sys.executable, "-c", textwrap.dedent(program)]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=300)
    assert (ended.returncode, ended.stderr) == (0, b"")
    assert b"algorithms" in ended.stdout


TIMERS = """
    def __init__(self, flow, parameters):
        self.due = 10_000_000

    def next_timer(self):
        return self.due

    def on_timer(self, now_ps):
        self.due = now_ps + 10_000_000
        if now_ps == 20_000_000:
            print("looping", flush=True)
            while True:
                pass
"""


BEGINNINGS = """
    def __init__(self, flow, parameters):
        print("looping", flush=True)
        while True:
            pass
"""


@pytest.mark.parametrize("methods", [TIMERS, BEGINNINGS])
def test_other_flows_do_not_go_on_after_ctrl_c(tmp_path, own, methods):
    """When one flow is interrupted, all other flows have a timer at that moment, or begin then."""
    own(LINE_RATE + methods)
    (tmp_path / "run.toml").write_text(incast.toml.dumps(NETWORK))
    assert code_after_ctrl_c(tmp_path, "run", "run.toml", "--cc", "mine.py", "--out", "out") == 130
    assert incast.load(tmp_path / "out").partial


def run_by_command(folder):
    """`incast run` of the file in a folder."""
    (folder / "run.toml").write_text(incast.toml.dumps(NETWORK))
    words = [sys.executable, "-m", "incast", "run", "run.toml", "--cc", "mine.py", "--no-report"]
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=300)


@pytest.mark.parametrize("message", ['"x" * 10**7', '"x\\n" * 10**6'])
def test_a_message_without_end_is_cut(tmp_path, own, message):
    own(LINE_RATE.replace("pass", f"raise ValueError({message})"))
    done = run_by_command(tmp_path)
    assert done.returncode == 1
    assert "in on_ack" in done.stderr
    assert "ValueError: x" in done.stderr
    assert " in `on_ack` of mine, flow 0" in done.stderr
    assert len(done.stderr) < 20_000


def test_a_copy_of_the_process_says_so_and_ends(tmp_path, own):
    """Parent and copy both go on: the clock of the copy begins anew, and one run must be stored,
    not two.
    """
    own(
        "import os\nforked = []\n"
        + LINE_RATE.replace("pass", "forked or forked.append(os.getpid()) or os.fork()")
    )
    done = run_by_command(tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("results  ") == 1
    assert "this is the copy, whose run is dropped" in done.stderr
    assert "defect" not in done.stderr
