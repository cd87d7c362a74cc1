"""Runs: their results, what is kept of them, and which runs are not repeated."""

import os
import signal
from pathlib import Path

import incast
import numpy as np
import pytest
import scenarios
from incast import experiment
from incast.errors import ResultsError
from incast.store.place import Place
from test_store import keep


def test_run_gives_results():
    results = incast.run(scenarios.as_dict(), name="four")
    assert (results.name, results.algorithm, results.partial) == ("four", "hpcc", False)
    assert len(results.flows) == 4
    assert (results.flows.numbers("slowdown") >= 1).all()
    assert results.flows.numbers("size_bytes").tolist() == [100_000] * 4
    assert results.folder is None
    assert len(results.series) > 0
    assert len(results.ports) == 10


def test_the_same_scenario_gives_the_same_results():
    first, second = (incast.run(scenarios.as_dict()) for _ in range(2))
    assert first.fingerprint == second.fingerprint
    assert incast.run(scenarios.as_dict(), cc="none").fingerprint != first.fingerprint


def test_threads_change_nothing():
    one, two = (incast.run(scenarios.as_dict(), threads=count) for count in (1, 2))
    assert one.fingerprint == two.fingerprint
    assert one.summary["threads"] == 1


def test_some_scenarios_have_one_thread():
    assert incast.Scenario(scenarios.as_dict()).single_threaded_because is None
    traced = incast.Scenario(scenarios.as_dict(), **{"measure.packets": True})
    assert traced.single_threaded_because == "it traces packets"
    with pytest.warns(UserWarning, match="scenario runs on one thread: it traces packets"):
        results = incast.run(traced, threads=2)
    assert results.summary["threads"] == 1


@pytest.mark.parametrize("threads", [0, -2, "2", 1.5])
def test_no_threads_run_nothing(threads):
    with pytest.raises(ValueError, match=f"threads: `{threads}` is not a number of threads"):
        incast.run(scenarios.as_dict(), threads=threads)


def test_a_stored_run_loads_as_it_was(tmp_path):
    results = incast.run(scenarios.as_dict(), store=tmp_path)
    assert results.folder == tmp_path / f"scenario-hpcc-{results.identity}"
    loaded = incast.load(results.folder)
    assert loaded.summary == results.summary
    assert loaded.scenario == results.scenario
    for table in ("flows", "series", "ports"):
        stored, kept = getattr(loaded, table), getattr(results, table)
        assert stored.to_polars().equals(kept.to_polars())


def test_convergence_is_told():
    results = incast.run(scenarios.as_dict())
    shares = results.flows.numbers("fair_share")
    assert results.summary["fair_share"]["count"] == len(shares) == 4
    assert results.summary["fair_share"]["min"] == shares.min() > 0
    starts, times = (results.flows.numbers(name) for name in ("start_ps", "fct_ps"))
    expected = np.corrcoef(starts, starts + times)[0, 1]
    assert results.summary["start_finish_correlation"] == pytest.approx(expected)
    text = results.table()
    assert "of the max-min fair rate" in text
    assert "start–finish" in text
    without = incast.run(scenarios.as_dict(), **{"measure.fair_share": "none"})
    assert without.summary["fair_share"] is None
    assert "fair_share" not in without.flows.columns
    assert "max-min" not in without.table()
    assert without.fingerprint == results.fingerprint


def test_a_trace_of_packets_is_a_table_of_its_own(tmp_path):
    results = incast.run(scenarios.as_dict(), **{"measure.packets": True}, store=tmp_path)
    packets = results.packets.to_polars()
    assert results.summary["packet_trace"] == {"events": len(packets), "cut_ps": None}
    assert results.fingerprint == incast.run(scenarios.as_dict()).fingerprint
    loaded = incast.load(results.folder)
    assert loaded.packets.to_polars().equals(packets)
    counts = loaded.packets.to_pandas()["event"].value_counts().to_dict()
    assert counts == dict(packets["event"].value_counts().iter_rows())


def test_every_packet_sent_is_received_or_dropped():
    lossy = {
        "network.flow_control": "none",
        "network.buffer.size": "40KB",
        "network.ecn.step": "10KB",
        "cc": "none",
    }
    results = incast.run(scenarios.as_dict(), **lossy, **{"measure.packets": True})
    packets, ports = results.packets.to_polars(), results.ports.to_polars()
    events = dict(packets["event"].value_counts().iter_rows())
    assert events["send"] == events["receive"] == results.summary["packet_hops"]
    assert events["drop"] == results.summary["packets"]["dropped"] > 0
    # At each switch, a received packet is dropped or sent on, with or without being enqueued.
    switches = packets.filter(packets["node"] >= results.summary["hosts"])
    at_switches = dict(switches["event"].value_counts().iter_rows())
    assert at_switches["receive"] == at_switches["send"] + at_switches["drop"]
    displaced = at_switches["enqueue"] - at_switches["send"]
    assert 0 < displaced < at_switches["drop"]
    sent = packets.filter((packets["event"] == "send") & (packets["kind"] == "data"))
    by_port = sent.group_by("node", "port").len().sort("node", "port")
    counted = ports.filter(ports["data_packets"] > 0).sort("node", "port")
    assert by_port["len"].to_list() == counted["data_packets"].to_list()


def test_pfc_frames_belong_to_no_flow():
    tight = {"network.buffer.size": "200KB", "cc": "none", "measure.packets": True}
    results = incast.run(scenarios.as_dict(), **tight)
    packets = results.packets.to_polars()
    frames = packets.filter(packets["flow_id"].is_null())
    assert set(frames["kind"].unique()) == {"pause", "resume"}
    pauses = frames.filter((frames["kind"] == "pause") & (frames["event"] == "send"))
    assert len(pauses) == results.summary["pfc"]["pauses"] > 0
    # NumPy has NaN for missing numbers.
    assert np.isnan(results.packets.numbers("flow_id")).sum() == len(frames)


def test_a_trace_that_was_cut_says_so():
    results = incast.run(scenarios.as_dict(), **{"measure.packets.limit": 100})
    trace = results.summary["packet_trace"]
    assert 0 < trace["events"] <= 100
    assert results.packets.numbers("time_ps").max() < trace["cut_ps"]
    assert "where its limit was reached" in results.table()
    assert "measure.packets.limit" in results.table()


def test_a_trace_that_was_cut_has_the_first_events():
    """One step of the engine has many more events than are kept, and not in order."""
    star = {
        "network": {"topology": {"kind": "star", "hosts": 16, "delay": "5us"}},
        "cc": {"algorithm": "none"},
        "traffic": [{"kind": "permutation", "sizes": "1MB"}],
    }
    whole = incast.run(star, **{"measure.packets.limit": 1_000_000})
    assert len(whole.packets) > 100_000
    for limit in (1, 10, 3_000, 30_000):
        cut = incast.run(star, **{"measure.packets.limit": limit})
        end = cut.summary["packet_trace"]["cut_ps"]
        times = whole.packets.numbers("time_ps")
        first = int((times < end).sum())
        assert first <= limit < int((times <= end).sum())
        kept = whole.packets.to_polars().head(first)
        assert cut.packets.to_polars().equals(kept)


def test_no_trace_is_an_error_with_a_way_out(tmp_path):
    results = incast.run(scenarios.as_dict(), store=tmp_path)
    for run in (results, incast.load(results.folder)):
        with pytest.raises(incast.ResultsError, match=r"not traced.*measure\.packets"):
            _ = run.packets


def test_a_name_with_slashes_stays_one_folder(tmp_path):
    results = incast.run(scenarios.as_dict(), name="../a b/c", store=tmp_path)
    assert results.folder.parent == tmp_path
    assert results.folder.name == f"..-a-b-c-hpcc-{results.identity}"
    assert results.name == "../a b/c"


def test_what_was_run_is_not_run_again(tmp_path):
    first = incast.run(scenarios.as_dict(), store=tmp_path)
    again = incast.run(scenarios.as_dict(), store=tmp_path, progress=_never)
    assert (first.reused, again.reused) == (False, True)
    assert again.summary == first.summary
    forced = incast.run(scenarios.as_dict(), store=tmp_path, force=True)
    assert not forced.reused


def test_results_under_another_name_are_found(tmp_path):
    """Folders of older versions do not name the algorithm."""
    first = incast.run(scenarios.as_dict(), store=tmp_path)
    older = first.folder.rename(tmp_path / f"scenario-{first.identity}")
    again = incast.run(scenarios.as_dict(), store=tmp_path, progress=_never)
    assert (again.reused, again.folder) == (True, older)
    (older / "flows.parquet").unlink()
    assert incast.run(scenarios.as_dict(), store=tmp_path).folder == first.folder


def test_unfinished_flows_are_in_the_table_with_their_bytes():
    results = incast.run(scenarios.as_dict(), stop="30us")
    flows = results.flows.to_polars()
    assert len(flows) == results.summary["flows"]["started"] == 4
    unfinished = flows.filter(flows["fct_ps"].is_null())
    assert len(unfinished) == 4 - results.summary["flows"]["finished"] > 0
    assert 0 < unfinished["acked_bytes"].sum() < unfinished["size_bytes"].sum()
    assert len(results.completed) == results.summary["flows"]["finished"]
    assert np.isnan(results.flows.numbers("slowdown")).sum() == len(unfinished)
    whole = incast.run(scenarios.as_dict()).flows.to_polars()
    assert (whole["acked_bytes"] == whole["size_bytes"]).all()


def test_traffic_entries_have_tables_and_charts_of_their_own(tmp_path):
    (burst,) = scenarios.as_dict()["traffic"]
    traffic = [{**burst, "name": "burst"}, {**burst, "receiver": 3, "senders": "0-2"}]
    results = incast.run({**scenarios.as_dict(), "traffic": traffic})
    assert [entry["name"] for entry in results.summary["traffic"]] == ["burst", "incast"]
    assert results.flows.to_polars()["traffic_name"].unique().sort().to_list() == [
        "burst",
        "incast",
    ]
    lines = results.table().splitlines()
    assert [line.split()[:2] for line in lines if line.startswith(("burst ", "incast "))] == [
        ["burst", "4"],
        ["incast", "3"],
    ]
    for chart in ("traffic", "traffic-cdf"):
        legend = results.plot(chart).legends[0]
        assert [text.get_text() for text in legend.get_texts()] == ["burst", "incast"]
    comparison = incast.Comparison({"a": results, "b": results})
    assert "burst" in comparison.table()
    assert "Traffic: goodput" in results.report(tmp_path / "report.html").read_text()


def test_means_over_a_measuring_window_say_so():
    poisson = {"kind": "poisson", "sizes": "fb-hadoop", "load": 0.4, "duration": "500us"}
    scenario = {**scenarios.as_dict(), "traffic": [poisson]}
    results = incast.run(scenario)
    assert results.summary["measuring_window"] == {"from_ps": 10**8, "until_ps": 5 * 10**8}
    assert "measured 100 µs – 500 µs" in " ".join(results.table().split())
    other = incast.run(scenario, **{"measure.from": "0us"})
    assert other.fingerprint == results.fingerprint
    assert other.identity != results.identity
    assert "measured " not in incast.run(scenarios.as_dict()).table()


def test_another_scenario_is_run(tmp_path):
    incast.run(scenarios.as_dict(), folder=tmp_path / "here")
    other = incast.run(scenarios.as_dict(), folder=tmp_path / "here", seed=2, force=True)
    assert not other.reused
    assert incast.load(tmp_path / "here").identity == other.identity


def test_results_do_not_replace_other_things(tmp_path):
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(incast.ResultsError, match="exists and is not a results folder"):
        incast.run(scenarios.as_dict(), folder=tmp_path, progress=_never)
    with pytest.raises(incast.ResultsError, match="exists and is not a results folder"):
        incast.run(scenarios.as_dict(), folder=tmp_path / "thesis.tex", progress=_never)
    assert (tmp_path / "thesis.tex").read_text() == "years of work"


def test_progress_is_told(tmp_path):
    told = []
    endless = tmp_path / "endless.toml"
    endless.write_text(scenarios.ENDLESS)

    def watch(done):
        told.append(done)
        if len(told) == 3:
            raise StopError

    with pytest.raises(StopError):
        incast.run(endless, folder=tmp_path / "run", progress=watch)
    assert len(told) == 3
    assert incast.load(tmp_path / "run").partial, "what has run is kept"
    assert told[0].keys() == {"time_ps", "flows_started", "flows_finished", "hops"}
    assert told[0]["time_ps"] < told[1]["time_ps"] < told[2]["time_ps"]


class StopError(Exception):
    """An exception that a callback may raise."""


def interrupt(_done):
    """Ctrl-C, during a run."""
    signal.raise_signal(signal.SIGINT)


@pytest.fixture
def endless(tmp_path):
    file = tmp_path / "endless.toml"
    file.write_text(scenarios.ENDLESS)
    return file


def test_an_interrupt_keeps_what_is_finished(endless, tmp_path):
    with pytest.raises(incast.Interrupted) as stopped:
        incast.run(endless, store=tmp_path, progress=interrupt)
    results = stopped.value.results
    assert results.partial
    assert len(results.completed) == results.summary["flows"]["finished"] > 0
    assert len(results.flows) == results.summary["flows"]["started"]
    assert incast.load(results.folder).partial
    assert "Interrupted at" in results.table()


def test_an_interrupt_ends_a_loop_of_runs(endless):
    begun = []

    def loop():
        for seed in range(5):
            begun.append(seed)
            incast.run(endless, seed=seed, progress=interrupt)

    with pytest.raises(KeyboardInterrupt):
        loop()
    assert begun == [0]


def test_an_interrupted_comparison_has_its_runs(endless, tmp_path):
    with pytest.raises(incast.Interrupted) as stopped:
        incast.compare(
            endless, ["hpcc", "none"], store=tmp_path, threads=1, progress=lambda _: interrupt
        )
    assert list(stopped.value.comparison) == ["hpcc"]
    assert stopped.value.comparison["hpcc"].partial
    assert stopped.value.comparison["hpcc"].folder.parent == tmp_path
    assert "Not run: none." in stopped.value.comparison.table()


def test_an_interrupted_run_does_not_replace_a_whole_one(endless, tmp_path):
    """The partial run is rewritten as a whole run of the same identity that ended sooner."""
    folder = tmp_path / "run"
    with pytest.raises(incast.Interrupted):
        incast.run(endless, folder=folder, progress=interrupt)
    rewrite(folder, '"partial": true', '"partial": false')
    with (
        pytest.warns(UserWarning, match="holds a whole run; the results of the interrupted"),
        pytest.raises(incast.Interrupted) as stopped,
    ):
        incast.run(endless, folder=folder, force=True, progress=interrupt)
    assert not incast.load(folder).partial
    assert stopped.value.results.folder == tmp_path / "run-interrupted"


def rewrite(folder, old, new):
    """Changes a summary, as if a version without checksums had written it."""
    summary = folder / "summary.json"
    summary.write_text(summary.read_text().replace(old, new))
    (folder / "checksums.json").unlink()


def in_the_way(kind, folder):
    """Puts something in the place of results while they are made."""
    match kind:
        case "file":
            folder.write_text("mine")
        case "link to nowhere":
            folder.symlink_to(folder.parent / "nowhere")
        case "foreign folder":
            folder.mkdir()
            (folder / "thesis.tex").write_text("mine")
        case "fifo":
            os.mkfifo(folder)
        case "damaged results":
            folder.mkdir()
            (folder / "summary.json").write_text('{"name": "tru')


@pytest.mark.parametrize("kind", ["file", "link to nowhere", "foreign folder", "damaged results"])
def test_what_has_run_is_not_thrown_away(tmp_path, kind):
    folder = tmp_path / "run"
    results = incast.run(scenarios.as_dict())
    in_the_way(kind, folder)
    with pytest.warns(UserWarning, match="the results of the run are in"):
        assert keep(results, folder) is results
    assert results.folder == tmp_path / f"run-{results.identity}"
    assert incast.load(results.folder).fingerprint == results.fingerprint
    if kind == "foreign folder":
        assert (folder / "thesis.tex").read_text() == "mine"
    # The same call finds the results beside the folder, and says so.
    with pytest.warns(UserWarning, match="are beside it"):
        found = incast.run(scenarios.as_dict(), folder=folder, progress=_never)
    assert (found.reused, found.folder) == (True, results.folder)


def test_a_name_that_is_too_long_is_replaced(tmp_path):
    with pytest.warns(UserWarning, match="the results of the run are in"):
        results = incast.run(scenarios.as_dict(), folder=tmp_path / ("n" * 250))
    assert results.folder == tmp_path / results.identity


def test_two_processes_share_one_result(tmp_path):
    """Both have run. The second finds the folder of the first, and takes its results with the
    report.
    """
    folder = tmp_path / "run"
    first = incast.run(scenarios.as_dict(), folder=folder)
    report = first.report(folder / "report.html")
    second = incast.run(scenarios.as_dict())
    kept = keep(second, folder)
    assert kept.reused
    assert kept.fingerprint == first.fingerprint
    assert report.exists()
    assert keep(second, folder, force=True) is second


def test_a_signal_between_run_and_storing_loses_nothing(monkeypatch, tmp_path):
    """The signal comes when the engine has ended, and again while results are stored."""

    def after(function):
        def called(*arguments, **options):
            done = function(*arguments, **options)
            signal.raise_signal(signal.SIGINT)
            return done

        return called

    monkeypatch.setattr(experiment, "from_core", after(experiment.from_core))
    monkeypatch.setattr(Place, "keep", after(Place.keep))
    with pytest.raises(incast.Interrupted) as stopped:
        incast.run(scenarios.as_dict(), folder=tmp_path / "run")
    assert not stopped.value.results.partial
    assert not incast.load(tmp_path / "run").partial
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_partial_run_does_not_replace_another_one(endless, tmp_path):
    whole = incast.run(scenarios.as_dict(), folder=tmp_path / "run")
    incast.run(scenarios.as_dict(), folder=tmp_path / "run-interrupted")
    with (
        pytest.warns(UserWarning, match="holds a whole run of another scenario, seed or version"),
        pytest.raises(incast.Interrupted) as stopped,
    ):
        # Whole results of another run are refused before a run, but these may appear during it.
        incast.run(endless, folder=tmp_path / "run", progress=interrupt, force=True)
    assert incast.load(tmp_path / "run").identity == whole.identity
    assert incast.load(tmp_path / "run-interrupted").identity == whole.identity
    results = stopped.value.results
    assert results.folder == tmp_path / f"run-{results.identity}"


@pytest.mark.parametrize(
    "kind", ["file", "link to nowhere", "foreign folder", "fifo", "damaged results"]
)
def test_a_place_that_is_taken_is_refused_before_the_run(monkeypatch, tmp_path, kind):
    in_the_way(kind, tmp_path / "run")
    monkeypatch.setattr(experiment, "from_core", None)
    with pytest.raises(ResultsError, match="exists and is not a results folder"):
        incast.run(scenarios.as_dict(), folder=tmp_path / "run")


def test_a_long_name_is_cut(tmp_path):
    results = incast.run(scenarios.as_dict(), name="m" * 300, store=tmp_path)
    assert results.folder.name.startswith("m" * 141)
    assert results.folder.name.endswith(f"-hpcc-{results.identity}")
    with pytest.raises(ResultsError, match="File name too long"):
        incast.run(scenarios.as_dict(), folder=tmp_path / ("n" * 300))


def test_a_partial_run_is_run_again(tmp_path):
    scenario = incast.Scenario(scenarios.as_dict())
    whole = incast.run(scenario, store=tmp_path)
    rewrite(whole.folder, '"partial": false', '"partial": true')
    assert not incast.run(scenario, store=tmp_path).reused


@pytest.mark.parametrize("table", ["flows", "series", "ports"])
def test_a_run_that_lacks_a_table_is_run_again(tmp_path, table):
    whole = incast.run(scenarios.as_dict(), store=tmp_path)
    (whole.folder / f"{table}.parquet").unlink()
    again = incast.run(scenarios.as_dict(), store=tmp_path)
    assert not again.reused
    assert (whole.folder / f"{table}.parquet").exists()


def test_compare(tmp_path):
    comparison = incast.compare(scenarios.as_dict(), ["hpcc", "none"], store=tmp_path)
    assert list(comparison) == ["hpcc", "none"]
    assert comparison["none"].algorithm == "none"
    assert len(comparison) == 2
    assert repr(comparison) == "<incast.Comparison of hpcc, none>"
    assert comparison.report(tmp_path / "report.html").stat().st_size > 100_000
    assert comparison.table().startswith("scenario\n5 hosts, 1 switch, 5 links")


def test_compare_takes_text_as_the_command_does():
    assert list(incast.compare(scenarios.as_dict(), cc="hpcc")) == ["hpcc"]
    assert list(incast.compare(scenarios.as_dict(), cc="hpcc, none")) == ["hpcc", "none"]


def test_several_scenarios_are_compared():
    one, two = ({**scenarios.as_dict(), "run": {"name": name}} for name in ("one", "two"))
    assert list(incast.compare([one, two])) == ["one", "two"]
    assert list(incast.compare([one, two], cc="hpcc,none")) == [
        "one, hpcc",
        "one, none",
        "two, hpcc",
        "two, none",
    ]
    assert list(incast.compare([one, one])) == ["one", "one (2)"]
    assert incast.compare([one, two], baseline="two").baseline == "two"
    with pytest.raises(ValueError, match="the list of scenarios is empty"):
        incast.compare([])
    with pytest.raises(incast.LabelError, match="`one` is the only run"):
        incast.compare([one], baseline="one")
    with pytest.raises(ValueError, match="give algorithms, load balancing, or attacks"):
        incast.compare(one)
    with pytest.raises(incast.ScenarioError, match="no key figures in common"):
        incast.compare([one, scenarios.FABRIC])


def test_scenarios_of_one_name_are_all_compared():
    names = ["s (3)", "s", "s", "s"]
    runs = [{"name": name, "seed": seed} for seed, name in enumerate(names, start=1)]
    compared = incast.compare([{**scenarios.as_dict(), "run": run} for run in runs])
    assert list(compared) == ["s (3)", "s", "s (4)", "s (5)"]
    assert [run.summary["seed"] for run in compared.values()] == [1, 2, 3, 4]


def test_a_misspelt_baseline_is_told_before_the_first_run(tmp_path):
    with pytest.raises(incast.Error, match="did you mean `none`"):
        incast.compare(scenarios.as_dict(), "hpcc,none", baseline="nine", store=tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_run_that_a_comparison_does_not_have(star):
    comparison = incast.Comparison({"hpcc": star})
    with pytest.raises(KeyError, match="no run is labelled `hpc`; did you mean `hpcc`") as caught:
        comparison["hpc"]
    assert isinstance(caught.value, incast.LabelError)
    assert comparison.get("hpc") is None
    assert ("hpcc" in comparison, "hpc" in comparison) == (True, False)
    assert str(comparison) == comparison.table()


@pytest.mark.parametrize(
    ("call", "setting", "argument"),
    [
        (incast.run, "thread", "`threads` of `run`"),
        (incast.run, "on_started", "`on_start` of `run`"),
        (lambda *given, **more: incast.compare(*given, "hpcc", **more), "stor", "`store` of `co"),
    ],
)
def test_misspelt_arguments_are_told(call, setting, argument):
    with pytest.raises(incast.ScenarioError, match=f"did you mean the argument {argument}"):
        call(scenarios.as_dict(), **{setting: 2})


def test_misspelt_settings_are_told():
    with pytest.raises(incast.ScenarioError, match="`netwrk`; did you mean `network`"):
        incast.run(scenarios.as_dict(), netwrk={"ack_every": 2})


def test_compare_checks_all_before_it_runs_any(tmp_path):
    with pytest.raises(incast.ScenarioError, match="unknown algorithm `nope`"):
        incast.compare(scenarios.as_dict(), ["hpcc", "nope"], store=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_real_report_has_real_charts(tmp_path):
    results = incast.run(scenarios.as_dict())
    text = results.report(tmp_path / "report.html").read_text()
    assert "No flow has finished" not in text
    assert "were not recorded" not in text


def _never(done):
    raise AssertionError("nothing should run")


def test_what_a_killed_run_left_is_brought_back(monkeypatch, tmp_path):
    """The run was killed when its results were whole, but not yet in their place."""
    whole = incast.run(scenarios.as_dict(), folder=tmp_path / "run")
    kernel = Path("/proc/sys/kernel/random/boot_id").read_text()[:8]
    unfinished = tmp_path / f".run.unfinished-{os.geteuid()}"
    unfinished.mkdir()
    whole.folder.rename(unfinished / f"new-{kernel}-0123456789abcdef")
    with pytest.warns(UserWarning, match="a run that was killed had left files in"):
        again = incast.run(scenarios.as_dict(), folder=tmp_path / "run", progress=_never)
    assert again.reused
    assert [each.name for each in tmp_path.iterdir()] == ["run"]


@pytest.mark.parametrize("table", ["flows", "series", "ports"])
def test_a_run_of_which_a_table_is_torn_is_run_again(tmp_path, table):
    whole = incast.run(scenarios.as_dict(), store=tmp_path)
    (whole.folder / f"{table}.parquet").write_bytes(b"")
    again = incast.run(scenarios.as_dict(), store=tmp_path)
    assert not again.reused
    assert again.folder == whole.folder
    assert len(getattr(again, table)) > 0


def test_results_of_another_process_stay_if_it_is_faster_by_a_moment(monkeypatch, tmp_path):
    """Both processes look before either has stored its results, so that the folder is checked again
    before it is replaced.
    """
    folder = tmp_path / "run"
    second = incast.run(scenarios.as_dict())
    first = incast.run(scenarios.as_dict(), folder=folder)
    looks = iter([None])
    real = Place._whole
    monkeypatch.setattr(Place, "_whole", lambda *own: next(looks, real(*own)))
    kept = keep(second, folder)
    assert kept.folder == folder
    assert kept.reused
    assert first.fingerprint == kept.fingerprint


def test_a_file_that_changed_since_the_check(tmp_path):
    flows = tmp_path / "flows.csv"
    flows.write_text("source,destination,size_bytes,start_us\n0,1,1000,0\n")
    scenario = {
        "network": {"topology": "star"},
        "cc": {"algorithm": "hpcc"},
        "traffic": [{"kind": "file", "file": str(flows), "format": "csv"}],
    }

    def meddle(_estimate):
        flows.write_text("source,destination,size_bytes,start_us\n0,1,5000,0\n")

    what = "a file of the scenario changed between its check and the run; run again"
    with pytest.raises(incast.RunError, match=what):
        incast.run(scenario, store=tmp_path / "store", on_start=meddle)
    assert not list((tmp_path / "store").iterdir())


def test_two_hosts_without_a_switch(tmp_path):
    """1 us in each direction; 1048 B and an ACK of 60 B take 83.84 ns and 4.8 ns at 100 Gb/s."""
    (tmp_path / "pair.graph").write_text("hosts a b\nlink a b 100Gbps 1us\n")
    flows = [{"source": 1, "destination": 0, "size": "1000B"}]
    results = incast.run(
        {
            "network": {"topology": {"file": str(tmp_path / "pair.graph"), "format": "graph"}},
            "cc": {"algorithm": "none"},
            "traffic": [{"kind": "flows", "flows": flows}],
        }
    )
    assert results.summary["base_rtt_ps"] == 2_088_640
    assert results["fct_ps"].tolist() == [2_088_640]
    assert results["slowdown"].tolist() == [1.0]


@pytest.mark.parametrize("profile", ["default", "hpcc-ns3"])
@pytest.mark.parametrize("algorithm", ["none", "hpcc", "fncc", "timely", "dcqcn"])
def test_a_flow_alone_has_its_fair_share_however_short(profile, algorithm):
    """The flow is smaller than a BDP, so that nothing holds it up. The algorithms use INT on data,
    INT on ACKs, and timestamps.

    With 1001 B, the ACK of the short second packet waits for the ACK of the first.
    """
    topology = {"kind": "leaf-spine", "leaves": 2, "spines": 1, "hosts_per_leaf": 2}
    network = {"profile": profile, "topology": topology, "link_delay": "5us"}
    for size, least in [("1B", 0.99), ("1000B", 0.999), ("1001B", 0.95), ("20KB", 0.999)]:
        flows = [{"source": 0, "destination": 3, "size": size}]
        scenario = {
            "network": network,
            "cc": {"algorithm": algorithm},
            "traffic": [{"kind": "flows", "flows": flows}],
        }
        (share,) = incast.run(scenario).flows.numbers("fair_share")
        assert least < share < 1.001, size
