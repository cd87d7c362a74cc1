"""Results folders: read, written, refused."""

import json
import shutil

import incast
import pytest


def test_what_a_folder_says(star, folders):
    assert (star.name, star.algorithm, star.partial) == ("star16", "hpcc", False)
    assert star.folder == folders["star"]
    assert "algorithm = " in star.scenario
    assert repr(star) == "<incast.Results of 'star16': hpcc, 16 flows>"


def test_a_partial_run_says_so(folders):
    assert repr(incast.load(folders["partial"])).endswith("6 flows, interrupted>")


def test_save_copies(star, tmp_path):
    copy = incast.load(star.save(tmp_path / "deep" / "copy"))
    assert copy.summary == star.summary
    assert copy.flows.numbers("fct_ps").tolist() == star.flows.numbers("fct_ps").tolist()


def test_save_where_nothing_can_be(star, tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(incast.ResultsError):
        star.save(tmp_path / "file" / "folder")


@pytest.mark.parametrize(
    ("summary", "message"),
    [
        (None, r"summary.json: no such file; a results folder is what `incast run` writes"),
        ("{\n,", r"summary.json:2: is not JSON"),
        ("[1]", r"summary.json:1: is no summary of results: invalid type: sequence, expected an o"),
        (
            "1",
            r"summary.json:1: is no summary of results: invalid type: integer `1`, expected an o",
        ),
        ("[" * 100_000, r"summary.json:1: is not JSON: recursion limit exceeded"),
        ('{"seed": ' + "1" * 5_000 + "}", r"summary.json:1: is not JSON: number out of range"),
        (b'{"name": "\xff"}', r"summary.json: is not text in UTF-8"),
        ("{}", r"summary.json:1: is no summary of results: missing field `incast`; it is damaged"),
    ],
)
def test_not_a_results_folder(tmp_path, summary, message):
    if isinstance(summary, bytes):
        (tmp_path / "summary.json").write_bytes(summary)
    elif summary is not None:
        (tmp_path / "summary.json").write_text(summary)
    with pytest.raises(incast.ResultsError, match=message):
        incast.load(tmp_path)


def test_a_missing_table_is_told_when_it_is_read(folders, tmp_path):
    shutil.copytree(folders["star"], tmp_path / "copy")
    (tmp_path / "copy" / "series.parquet").unlink()
    results = incast.load(tmp_path / "copy")
    assert len(results.flows) == 16
    with pytest.raises(incast.ResultsError, match=r"series\.parquet"):
        _ = results.series


def test_a_broken_table_is_told(folders, tmp_path):
    shutil.copytree(folders["star"], tmp_path / "copy")
    (tmp_path / "copy" / "flows.parquet").write_bytes(b"not Parquet at all")
    with pytest.raises(incast.ResultsError, match=r"flows\.parquet"):
        _ = incast.load(tmp_path / "copy").flows


def test_summary_is_the_file(star, folders):
    assert star.summary == json.loads((folders["star"] / "summary.json").read_text())
