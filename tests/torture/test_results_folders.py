"""Damaged results folders: each gives a message that names the file, or can be read and drawn."""

import io
import json
import random
import shutil
from collections import Counter
from pathlib import Path

import incast
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import torture
from incast.present import matplotlib

WORDS = [None, True, -1, 0, 1.5, 1e308, float("inf"), float("nan"), "", "text", [], {}, [[]], 2**70]


EVERYTHING = """\
[run]
stop = "300us"
[network]
topology = "star"
[cc]
algorithm = "lgc"
[measure]
round_trips = true
packet_latency = true
int_age = true
fair_share = "all"
packets = true
flows = { which = "all", probes = true }
queues = { ports = "all" }
[[traffic]]
kind = "incast"
name = "burst"
receiver = 3
sizes = "20KB"
[[traffic]]
kind = "poisson"
name = "background"
sizes = "fb-hadoop"
load = 0.5
duration = "250us"
[attack]
kind = "parallel"
attackers = { hosts = "0-3" }
"""
"""Every table that results of a network may have, and flows that do not complete."""

FABRIC = """\
[fabric]
endpoints = 64
[control]
scheme = "3cpo"
[[group]]
members = [0, 1, 8, 9]
[[work]]
kind = "all-reduce"
size = "64KiB"
[measure]
every = 100
endpoints = [0, 9]
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return _stored(tmp_path_factory, torture.SCENARIO)


@pytest.fixture(scope="module", params=[EVERYTHING, FABRIC], ids=["network", "fabric"])
def full_folder(tmp_path_factory, request):
    return _stored(tmp_path_factory, request.param)


def _stored(tmp_path_factory, scenario):
    place = tmp_path_factory.mktemp("torture")
    (place / "kill.toml").write_text(scenario)
    results = incast.run(place / "kill.toml")
    return results.save(place / "whole")


def bytes_changed(dice: random.Random, content: bytes) -> bytes:
    """Content with some bytes changed, cut off, taken out or put in."""
    changed = bytearray(content)
    for _ in range(dice.randint(1, 3)):
        at = dice.randrange(len(changed) + 1)
        match dice.randrange(4):
            case 0:
                del changed[at:]
            case 1:
                del changed[at : at + dice.randint(1, 50)]
            case 2:
                changed[at:at] = dice.randbytes(dice.randint(1, 8))
            case _ if at < len(changed):
                changed[at] ^= 1 << dice.randrange(8)
    return bytes(changed)


def value_changed(dice: random.Random, content: bytes) -> bytes:
    """A summary with one value replaced or removed."""
    summary = json.loads(content)
    at = summary
    while True:
        keys = list(at) if isinstance(at, dict) else range(len(at))
        key = dice.choice(keys)
        if not isinstance(at[key], dict | list) or not at[key] or dice.random() < 0.2:
            break
        at = at[key]
    if dice.random() < 0.3:
        del at[key]
    else:
        at[key] = dice.choice(WORDS)
    return json.dumps(summary).encode()


CELLS = {
    "float": [None, float("nan"), float("inf"), float("-inf"), 1e308, -1e308, -1.0, 0.0, 5e-324],
    "integer": [None, 0, 1, "largest", "largest"],
    "text": [None, "", "network", "flow 7", "x" * 5000, "$x^{bad$", "\x1b[2J<script>"],
}
"""Values of a column's own type that no run would write."""


def cells_changed(dice: random.Random, content: bytes) -> bytes:
    """A table with some values replaced by others of their type or removed, and with rows removed
    or doubled.
    """
    table = pq.read_table(io.BytesIO(content))
    if len(table) and dice.random() < 0.2:
        at = dice.randrange(len(table))
        again = table.slice(at, dice.choice([0, 1, len(table)]))
        table = pa.concat_tables([table.slice(0, at), again, again])
    elif len(table):
        place = dice.randrange(table.num_columns)
        field = table.schema.field(place)
        cells = table.column(place).to_pylist()
        at = dice.randrange(len(cells))
        value = _cell(dice, field.type)
        for row in range(at, dice.choice([at + 1, at + 10, len(cells)])):
            cells[row % len(cells)] = value
        column = pa.array(cells, field.type)
        table = table.set_column(place, field.with_nullable(True), column)
    written = io.BytesIO()
    pq.write_table(table, written)
    return written.getvalue()


def _cell(dice: random.Random, kind: pa.DataType) -> object:
    if pa.types.is_floating(kind):
        return dice.choice(CELLS["float"])
    if pa.types.is_integer(kind):
        value = dice.choice(CELLS["integer"])
        return 2**kind.bit_width - 1 if value == "largest" else value
    return dice.choice(CELLS["text"])


def used(results: incast.Results) -> None:
    """Reads everything that results offer."""
    repr(results)
    results.table()
    for table in _tables(results):
        assert len(table.columns) > 0
        assert len(table) >= 0


def _tables(results: incast.Results) -> list[incast.Table]:
    if "kind" in results.summary:
        return [results.operations, results.controls, results.queues]
    return [results.flows, results.series, results.ports]


def drawn(results: incast.Results, whole: incast.Results, place: Path) -> None:
    """Draws everything that results offer, also beside others and for print."""
    matplotlib.save_all(results.runs, place / "charts", ["png"])
    incast.Comparison({"damaged": results, "whole": whole}).report(place / "both.html")


def test_damaged_folders(folder, tmp_path):
    dice = torture.dice("folders")
    others = ("report.html", "checksums.json")
    files = sorted(each.name for each in folder.iterdir() if each.name not in others)
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    # With checksums, no changed file would be read.
    (copy / "checksums.json").unlink()
    counts = Counter()
    for _ in range(torture.some(50)):
        name = dice.choice([*files, "summary.json"])
        whole = (folder / name).read_bytes()
        change = value_changed if name == "summary.json" and dice.random() < 0.8 else bytes_changed
        damaged = change(dice, whole)
        torture.write(copy / name, damaged)
        told = str(copy)
        try:
            used(incast.load(copy))
            counts["used"] += 1
        except incast.ResultsError as error:
            counts["refused"] += 1
            told = str(error)
        except BaseException as error:
            raise _kept(tmp_path / name, damaged) from error
        assert "copy" in told, told
        torture.write(copy / name, whole)
    torture.told("damaged results folders", counts)


def _kept(file, damaged):
    """The error of a reader that failed unexpectedly; the damaged file is kept."""
    file.write_bytes(damaged)
    return AssertionError(f"{file.name}, see {file}")


def test_what_no_run_would_write_is_refused_or_drawn(full_folder, tmp_path):
    tables = sorted(each.name for each in full_folder.glob("*.parquet"))
    dice = torture.dice(f"cells of {tables}")
    whole = incast.load(full_folder)
    copy = tmp_path / "copy"
    shutil.copytree(full_folder, copy)
    (copy / "checksums.json").unlink()
    counts = Counter()
    for _ in range(torture.some(200)):
        name = dice.choice(tables)
        damaged = cells_changed(dice, (full_folder / name).read_bytes())
        torture.write(copy / name, damaged)
        told = f"copy/{name}"
        try:
            results = incast.load(copy)
            used(results)
            results.report(tmp_path / "report.html")
            if dice.random() < 0.2:
                drawn(results, whole, tmp_path)
            counts["drawn"] += 1
        except incast.ResultsError as error:
            counts["refused"] += 1
            told = str(error)
        except BaseException as error:
            raise _kept(tmp_path / name, damaged) from error
        assert f"copy/{name}" in told, told
        shutil.copy(full_folder / name, copy / name)
    torture.told("tables with wrong values", counts)


def test_the_commands_say_which_folder(folder, tmp_path):
    dice = torture.dice("commands")
    counts = Counter()
    for _ in range(torture.some(5_000)):
        copy = tmp_path / "copy"
        shutil.copytree(folder, copy)
        name = dice.choice(["summary.json", "flows.parquet", "series.parquet"])
        torture.write(copy / name, bytes_changed(dice, (folder / name).read_bytes()))
        for command in (("show", copy), ("report", copy), ("report", folder, copy), ("plot", copy)):
            done = torture.incast(*command)
            if done.returncode:
                assert "copy" in torture.message(done)
            counts[f"{command[0]}: {'used' if not done.returncode else 'refused'}"] += 1
        shutil.rmtree(copy)
    torture.told("commands on damaged folders", counts)
