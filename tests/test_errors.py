"""An error is one sentence with named parts."""

import pickle

import incast
import pytest
from incast.errors import RemoteTraceback, traceback_text


@pytest.mark.parametrize(
    ("parts", "sentence"),
    [
        ({}, "wrong"),
        ({"file": "a.toml"}, "a.toml: wrong"),
        ({"file": "a.toml", "line": 6, "key": "cc"}, "a.toml:6: cc: wrong"),
        ({"key": "cc", "hint": "write hpcc"}, "cc: wrong; write hpcc"),
        ({"line": 3}, "wrong"),
    ],
)
def test_sentence(parts, sentence):
    assert str(incast.Error("wrong", **parts)) == sentence


def test_attributes():
    error = incast.ScenarioError("wrong", file="a.toml", line=6, key="cc", hint="right")
    assert (error.what, error.file, error.line) == ("wrong", "a.toml", 6)
    assert (error.key, error.hint) == ("cc", "right")


@pytest.mark.parametrize("kind", [incast.ScenarioError, incast.StallError, incast.UnstoredError])
def test_errors_reach_other_processes(kind, star):
    """Errors are pickled by process pools."""
    error = kind.__new__(kind, "wrong")
    error.__dict__.update(what="wrong", file="a.toml", line=6, key=None, hint=None, results=star)
    found = pickle.loads(pickle.dumps(error))
    assert type(found) is kind
    assert str(found) == "a.toml:6: wrong"
    assert found.results.summary == star.summary


def raised_from(cause):
    try:
        raise incast.StudyError("wrong") from cause
    except incast.StudyError as error:
        return error


def passed_on(error):
    """The error as another process gets it. Dask teaches pickle its own way, so it is not asked."""
    make, arguments = error.__reduce__()
    return make(*pickle.loads(pickle.dumps(arguments)))


class UntoldError(Exception):
    """An exception that is false, and cannot be told."""

    def __str__(self):
        raise self

    def __len__(self):
        return 0


BROKEN = SyntaxError("m", ("f", 1, "x", "text"))
"""As parsers written by hand raise it: its place is no number."""


@pytest.mark.parametrize(
    ("cause", "told"),
    [
        (KeyError("a"), "KeyError: 'a'"),
        (UntoldError(), "UntoldError"),
        (BROKEN, "SyntaxError: m (f, line 1)"),
    ],
)
def test_errors_keep_the_traceback_of_their_cause_as_text(cause, told):
    once = passed_on(raised_from(cause))
    twice = passed_on(once)
    for error in (once, twice):
        assert isinstance(error.__cause__, RemoteTraceback)
        assert told in traceback_text(error.__cause__).splitlines()[-1]
        assert str(error) == "wrong"
    assert traceback_text(twice.__cause__) == traceback_text(once.__cause__)
    assert passed_on(raised_from(None)).__cause__ is None


def test_a_file_where_a_folder_should_be_is_named(tmp_path):
    file = tmp_path / "notes.txt"
    file.write_text("mine")
    for place in (file, file / "results", file / "deep" / "down" / "results"):
        with pytest.raises(OSError, match=r"notes\.txt") as caught:
            place.mkdir(parents=True, exist_ok=True)
        error = incast.ResultsError.unwritable(place, caught.value)
        assert str(error) == (
            f"{file}: is a file; nothing can be stored below it; name another place, or remove it"
        )


def test_a_link_to_nothing_is_named(tmp_path):
    link = tmp_path / "link"
    link.symlink_to("nothing")
    with pytest.raises(OSError, match="link") as caught:
        link.mkdir(parents=True, exist_ok=True)
    error = incast.ResultsError.unwritable(link, caught.value)
    assert str(error).startswith(f"{link}: is a link to nothing; nothing can be stored below it; ")


def test_other_refusals_are_the_systems(tmp_path):
    error = incast.ResultsError.unwritable(
        tmp_path / "results", PermissionError(13, "Permission denied")
    )
    assert str(error) == f"{tmp_path}/results: Permission denied"


@pytest.mark.parametrize("name", ["ScenarioError", "ImportFileError", "ResultsError", "RunError"])
def test_all_are_incast_errors(name):
    assert issubclass(getattr(incast, name), incast.Error)


def test_messages_are_printable_and_not_endless():
    """The limit is that of the engine, whose messages are parts of Python's."""
    assert str(incast.Error("a\x1b[2J\u2028é", hint="b\nc")) == "a\\u{1b}[2J\\u{2028}é; b\\nc"
    assert str(incast.Error("caf\udce9")) == "caf\\udce9"
    long = str(incast.Error("x" * 500 + "y" * 500))
    assert long == "x" * 400 + " … " + "y" * 100
    with pytest.raises(incast.ScenarioError) as caught:
        incast.Scenario({"n" * 1000: 1})
    assert "n" * 300 in str(caught.value)
    assert " … " in str(caught.value)
