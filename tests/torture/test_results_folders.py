"""Damaged results folders: each is a message that names the file, or can be used."""

import json
import random
import shutil
from collections import Counter

import incast
import pytest
import torture

WORDS = [None, True, -1, 0, 1.5, 1e308, float("inf"), float("nan"), "", "text", [], {}, [[]], 2**70]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("torture")
    (place / "kill.toml").write_text(torture.SCENARIO)
    results = incast.run(place / "kill.toml")
    return results.save(place / "whole")


def bytes_changed(dice: random.Random, content: bytes) -> bytes:
    """Some bytes turned, cut off, taken out or put in."""
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
    """A value somewhere in the summary is another one, or gone."""
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


def used(results: incast.Results) -> None:
    """All that can be made of results."""
    repr(results)
    results.table()
    for table in (results.flows, results.series, results.ports):
        assert len(table.columns) > 0
        assert len(table) >= 0


def test_damaged_folders(folder, tmp_path):
    dice = torture.dice("folders")
    others = ("report.html", "checksums.json")
    files = sorted(each.name for each in folder.iterdir() if each.name not in others)
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    # With checksums, nothing that was changed would be read.
    (copy / "checksums.json").unlink()
    counts = Counter()
    for _ in range(torture.some(50)):
        name = dice.choice([*files, "summary.json"])
        whole = (folder / name).read_bytes()
        change = value_changed if name == "summary.json" and dice.random() < 0.8 else bytes_changed
        damaged = change(dice, whole)
        (copy / name).write_bytes(damaged)
        told = str(copy)
        try:
            used(incast.load(copy))
            counts["used"] += 1
        except incast.ResultsError as error:
            counts["refused"] += 1
            told = str(error)
        except BaseException as error:
            kept = tmp_path / name
            kept.write_bytes(damaged)
            raise AssertionError(f"{name}, see {kept}") from error
        assert "copy" in told, told
        (copy / name).write_bytes(whole)
    torture.told("damaged results folders", counts)


def test_the_commands_say_which_folder(folder, tmp_path):
    dice = torture.dice("commands")
    counts = Counter()
    for _ in range(torture.some(5_000)):
        copy = tmp_path / "copy"
        shutil.copytree(folder, copy)
        name = dice.choice(["summary.json", "flows.parquet", "series.parquet"])
        (copy / name).write_bytes(bytes_changed(dice, (folder / name).read_bytes()))
        for command in (("show", copy), ("report", copy), ("report", folder, copy), ("plot", copy)):
            done = torture.incast(*command)
            if done.returncode:
                assert "copy" in torture.message(done)
            counts[f"{command[0]}: {'used' if not done.returncode else 'refused'}"] += 1
        shutil.rmtree(copy)
    torture.told("commands on damaged folders", counts)
