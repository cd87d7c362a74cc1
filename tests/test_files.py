"""Files are written whole or not at all."""

import multiprocessing
import os
import shutil
import subprocess
import sys
from pathlib import Path

import incast
import pytest
import scenarios
from incast import cli
from incast.files import RESULTS_FILES, checked_path, is_stream, write_whole, written_whole
from pyarrow import parquet


def test_what_is_written_takes_the_place_of_what_was_there(tmp_path):
    file = tmp_path / "page.html"
    file.write_text("old")
    with written_whole(file) as staging:
        staging.write_text("new")
        assert file.read_text() == "old"
        assert staging.suffix == ".html"
    assert file.read_text() == "new"
    assert list(tmp_path.iterdir()) == [file]


def test_a_failure_leaves_the_old_file(tmp_path):
    file = tmp_path / "page.html"
    file.write_text("old")

    def fill_the_disk():
        with written_whole(file) as staging:
            staging.write_text("ne")
            raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space"):
        fill_the_disk()
    assert file.read_text() == "old"
    assert list(tmp_path.iterdir()) == [file]


def test_a_link_stays_one(tmp_path):
    (tmp_path / "disk").mkdir()
    link = tmp_path / "page.html"
    link.symlink_to(tmp_path / "disk" / "page.html")
    write_whole(link, "new")
    assert link.is_symlink()
    assert (tmp_path / "disk" / "page.html").read_text() == "new"


def test_a_device_is_written_to():
    write_whole(Path(os.devnull), "gone")
    assert not Path(os.devnull).is_file()


def test_standard_output_is_written_to(tmp_path):
    """Whatever standard output is, text before and after the page stays."""
    program = (
        "from pathlib import Path; from incast.files import write_whole; print('before');"
        "write_whole(Path('/dev/stdout'), 'page\\n'); print('after')"
    )
    command = [sys.executable, "-c", program]
    piped = subprocess.run(command, capture_output=True, text=True, check=True)
    assert piped.stdout == "before\npage\nafter\n"
    file = tmp_path / "log"
    file.write_text("old\n")
    with file.open("a") as log:
        subprocess.run(command, stdout=log, check=True)
    assert file.read_text() == "old\nbefore\npage\nafter\n"


def test_a_pipe_is_written_to(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert is_stream(pipe)
    with subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE, text=True) as reader:
        write_whole(pipe, "page")
        assert reader.communicate()[0] == "page"
    assert list(tmp_path.iterdir()) == [pipe]


def test_open_files_are_streams(tmp_path):
    file = tmp_path / "page.html"
    file.touch()
    link = tmp_path / "link"
    link.symlink_to("/dev/stderr")
    circle = tmp_path / "circle"
    circle.symlink_to(circle)
    number = os.open(file, os.O_RDONLY)
    assert [is_stream(each) for each in (Path(f"/dev/fd/{number}"), link)] == [True, True]
    assert [is_stream(each) for each in (file, tmp_path, circle)] == [False, False, False]
    os.close(number)
    with pytest.raises(OSError, match="Bad file descriptor"):
        write_whole(Path(f"/dev/fd/{number}"), "page")


def test_modes_are_those_of_any_file(tmp_path):
    before = os.umask(0o027)
    try:
        new, old = tmp_path / "new.html", tmp_path / "old.html"
        old.touch()
        old.chmod(0o604)
        for file in (new, old):
            write_whole(file, "page")
        assert [file.stat().st_mode & 0o7777 for file in (new, old)] == [0o640, 0o604]
    finally:
        os.umask(before)


def _killed(file):
    with written_whole(file) as staging:
        staging.write_text("hal")
        os.kill(os.getpid(), 9)


def test_what_a_killed_writer_left_goes(tmp_path):
    files = [tmp_path / "page.html", tmp_path / "other.html"]
    for file in files:
        writer = multiprocessing.get_context("spawn").Process(target=_killed, args=(file,))
        writer.start()
        writer.join()
        assert writer.exitcode == -9
        # The partial file of the first process is gone when the second begins.
        (left,) = tmp_path.iterdir()
        assert left.read_text() == "hal"
    of_others = [tmp_path / ".hidden-file", tmp_path / ".12345678-12345678-mine"]
    for file in of_others:
        file.write_text("kept")
    with written_whole(files[0]) as staging:
        # Partial files of other files are gone, too.
        assert set(tmp_path.iterdir()) == {staging, *of_others}
        staging.write_text("first")
        # A partial file that is still being written stays.
        write_whole(files[1], "second")
        assert staging.read_text() == "first"
    assert files[0].read_text() == "first"
    assert set(tmp_path.iterdir()) == {*files, *of_others}


IMPOSSIBLE = ["a\0b", "\ud800"]


@pytest.mark.parametrize("path", IMPOSSIBLE)
def test_impossible_paths_are_one_error(path, tmp_path):
    results = incast.run(SCENARIO)
    what = "has a character that no path can have; name another place"
    for call in (
        incast.load,
        results.save,
        results.report,
        incast.Comparison({"a": results}).report,
        lambda path: incast.run(SCENARIO, folder=path),
        lambda path: incast.run(SCENARIO, store=path),
        lambda path: incast.compare(SCENARIO, ["hpcc"], store=path),
        lambda path: incast.papers.reproduce("fairness", store=path),
        lambda path: incast.Imported("", tmp_path, [], Path("x.cm")).save(path),
        incast.run,
        incast.Scenario,
    ):
        with pytest.raises(incast.Error, match=what):
            call(path)
    with pytest.raises(incast.Error):
        incast.import_hpcc_ns3(path)
    assert checked_path("é") == Path("é")


SCENARIO = {
    "network": {"topology": "star"},
    "cc": {"algorithm": "hpcc"},
    "traffic": [{"kind": "flows", "flows": [{"source": 0, "destination": 1, "size": "1KB"}]}],
}


def test_files_of_results_are_spared(tmp_path):
    """In a folder of results, its files are neither replaced nor added to."""
    for name in ("summary.json", "scenario.toml"):
        write_whole(tmp_path / name, "mine")
    (tmp_path / "link").symlink_to(tmp_path / "summary.json")
    for name in (*RESULTS_FILES, "link"):
        with pytest.raises(incast.ResultsError, match="belongs to the results in its folder"):
            write_whole(tmp_path / name, "lost")
    assert (tmp_path / "summary.json").read_text() == "mine"
    write_whole(tmp_path / "report.html", "a page")


def test_the_names_of_results_are_those_of_all_tables():
    from incast.results_tables import TABLES

    tables = {f"{name}.parquet" for names in TABLES.values() for name in names}
    others = {"summary.json", "scenario.toml", "checksums.json"}
    assert tables | others == RESULTS_FILES


LONG = "x" * 300


@pytest.fixture
def loop(tmp_path, monkeypatch):
    """A symbolic link to itself."""
    monkeypatch.chdir(tmp_path)
    Path("loop").symlink_to("loop")
    Path("star.toml").write_text(scenarios.STAR)
    Path("study.toml").write_text(
        'scenario = "star.toml"\nmeasure = "fct.mean"\n[vary]\nseed = [1, 2]\n'
    )


@pytest.mark.parametrize("place", [LONG, f"{LONG}/x", "loop/x", "loop"])
def test_places_that_the_system_cannot_have_are_refused(loop, capsys, place):
    for store in ("folder", "store"):
        with pytest.raises(incast.ResultsError, match=place[-20:]):
            incast.run("star.toml", **{store: place})
    for command in (
        ["run", "star.toml", "--out"],
        ["sweep", "study.toml", "--out"],
        ["reproduce", "fncc", "--quick", "--only", "fig3", "--out"],
        ["check-algorithm", "none", "--out"],
        ["nccl-tests", "all-reduce", "--ranks", "2", "--maxbytes", "8", "--out"],
        ["nccl-tests", "all-reduce", "--ranks", "2", "--maxbytes", "8", "--csv"],
        ["demo", "--out"],
        ["show"],
    ):
        if "--csv" in command and place == "loop":
            continue  # A file takes the place of such a link.
        assert cli.main([*command, place]) == 2
        assert f"error: {place.partition('/')[0]}" in capsys.readouterr().err


def test_a_link_in_a_circle_does_not_end_a_sweep(loop):
    first = incast.sweep("study.toml", store="out")
    folder = Path("out/runs") / f"star-hpcc-{first.rows[0].identity}"
    shutil.rmtree(folder)
    folder.symlink_to(folder.name)
    again = incast.sweep("study.toml", store="out")
    assert [bool(row.failure) for row in again.rows] == [True, False]
    assert "exists and is not a results folder" in again.rows[0].failure


@pytest.mark.parametrize(
    ("command", "told"),
    [
        (["compare", "star.toml", "--cc", "none,hpcc", "--baseline"], "no run is labelled `a"),
        (["reproduce"], "unknown paper `a"),
        (["reproduce", "fncc", "--only"], "paper fncc has no figure `a"),
        (["import", "htsim", "star.toml", "--topology"], "is not text in UTF-8"),
        (["import", "htsim", "star.toml", "--start-unit"], "is not text in UTF-8"),
        (["nccl-tests"], "unknown operation `a"),
    ],
)
def test_arguments_in_other_encodings_are_refused(loop, capsys, command, told):
    assert cli.main([*command, os.fsdecode(b"a\xff")]) == 2
    err = capsys.readouterr().err
    assert told in err
    assert r"a\udcff" in err


@pytest.mark.skipif(sys.platform == "darwin", reason="file systems there have UTF-8 alone")
def test_a_sweep_goes_to_a_folder_in_another_encoding(loop):
    page = incast.sweep("study.toml", store=os.fsdecode(b"a\xff")).save(formats=[])
    with (page.parent / "sweep.parquet").open("rb") as file:
        assert parquet.read_table(file)["seed"].to_pylist() == [1, 2]


def test_a_path_that_is_too_long_as_a_whole_is_refused(tmp_path):
    """Each name in the path is short."""
    store = tmp_path.joinpath(*["x" * 100] * 50)
    error = incast.ResultsError.unwritable(store, OSError(36, "File name too long"))
    assert str(error).endswith(": File name too long")
    assert not is_stream(store)
