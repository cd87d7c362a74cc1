"""Command lines of htsim_uec as scenarios, and their recorded results."""

from __future__ import annotations

import csv
from pathlib import Path

import incast
import pytest
from incast import cli
from incast.validate import uet_recordings

RECORDED = Path(uet_recordings.__file__).parent / "data" / "uet" / "exact.csv"
MODES = {
    "nscc": "-sender_cc_only",
    "rccc": "-receiver_cc_only",
    "both": "-sender_cc -receiver_cc",
}
CELLS = [
    ("16", "100", "nscc", "4086"),
    ("16", "800", "both", "50000"),
    ("54", "100", "rccc", "700000"),
    ("54", "400", "nscc", "5000000"),
    ("54", "800", "rccc", "12258"),
    ("128", "100", "both", "12258"),
    ("128", "400", "rccc", "5000000"),
    ("128", "800", "nscc", "700000"),
]
"""Hosts, rate, mode and size of lone flows; the last flow in the file is taken."""


def recorded(group, **wanted):
    with RECORDED.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return [
        row
        for row in rows
        if row["group"] == group and all(row[key] == value for key, value in wanted.items())
    ]


def imported(folder, hosts, flows, options):
    lines = [f"Nodes {hosts}", f"Connections {len(flows)}"]
    lines += [
        f"{row['source']}->{row['destination']} id {number} start 0 size {row['size_bytes']}"
        for number, row in enumerate(flows, 1)
    ]
    (folder / "flows.cm").write_text("\n".join(lines) + "\n")
    return incast.import_htsim_uec(f"htsim_uec -tm {folder / 'flows.cm'} {options}")


def finished(imported, folder):
    scenario = imported.save(folder / "scenario.toml")
    flows = incast.run(scenario).flows
    order = flows.numbers("flow_id").argsort()
    return [int(each) for each in flows.numbers("fct_ps")[order]]


@pytest.mark.parametrize(("hosts", "gbps", "mode", "size"), CELLS)
def test_a_flow_alone_ends_when_it_was_recorded(tmp_path, hosts, gbps, mode, size):
    (*_, flow) = recorded("one flow", hosts=hosts, gbps=gbps, mode=mode, size_bytes=size)
    options = f"-linkspeed {gbps}000 -paths 1 {MODES[mode]} -seed 1 -end 5000"
    found = imported(tmp_path, hosts, [flow], options)
    assert finished(found, tmp_path) == [int(flow["finish_ps"])]


@pytest.mark.parametrize(("gbps", "mode"), [("100", "rccc"), ("400", "both")])
def test_two_flows_into_one_host_end_when_they_were_recorded(tmp_path, gbps, mode):
    flows = recorded("two to one: tor and pod", gbps=gbps, mode=mode)
    options = f"-linkspeed {gbps}000 -paths 1 {MODES[mode]} -seed 1 -end 5000"
    found = imported(tmp_path, "16", flows, options)
    assert finished(found, tmp_path) == [int(flow["finish_ps"]) for flow in flows]


def test_the_command_writes_a_scenario(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    flows = recorded("one flow", hosts="16", gbps="100", mode="nscc", size_bytes="4086")[:1]
    imported(tmp_path, "16", flows, "")
    options = "-tm flows.cm -o log.dat -failed 1"
    arguments = ["import", "htsim", "--uec", options, "--ignore", "failed", "-o", "flows.toml"]
    assert cli.main(arguments) == 0
    listing = capsys.readouterr().out
    assert "results here are what [measure] says" in listing
    assert "ignored, as asked" in listing
    assert 'profile = "uet-htsim"' in (tmp_path / "flows.toml").read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--uec", "-tm x.cm -cwnd 5", "x.cm"], "MATRIX has no effect beside --uec; leave it out"),
        (["--uec", "-tm x.cm", "--cc", "hpcc"], "--cc has no effect beside --uec"),
        (["--uec", "-tm x.cm", "--topology", "x"], "--topology has no effect beside --uec"),
        (["--uec", "-tm x.cm", "--start-unit", "us"], "--start-unit has no effect beside --uec"),
        ([], "no connection matrix is named; name a .cm file"),
        (["x.cm", "--ignore", "failed"], "--ignore reads over options of --uec; leave it out"),
        (["--uec", "-tm x.cm"], "x.cm: there is no such file"),
        (["--uec", "-tm x.cm -pahts 5"], "--uec -pahts: htsim_uec has no such option; did you"),
        (["--uec", "-tm x.cm", "--ignore", "failed"], "--ignore -failed: the command line does"),
    ],
)
def test_mistakes_are_told(arguments, message, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert cli.main(["import", "htsim", *arguments]) != 0
    assert message in capsys.readouterr().err
