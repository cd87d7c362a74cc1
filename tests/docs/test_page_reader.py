"""The reader of pages finds mistakes in pages."""

import pytest
from page_blocks import blocks, code_in_lines
from page_reader import Reader, difference, wrong_arguments


@pytest.fixture
def read(tmp_path):
    """The mistakes in each block of a page."""
    (tmp_path / "reader").mkdir()
    reader = Reader(tmp_path / "reader")

    def read(page):
        file = tmp_path / "page.md"
        file.write_text(page)
        return [reader.read(block) for block in blocks(file)]

    yield read
    reader.close()


def fenced(language, text, remark=""):
    before = f"<!-- snippet: {remark} -->\n" if remark else ""
    return f"{before}```{language}\n{text}\n```\n\n"


def test_commands_that_fail(read):
    page = fenced("sh", "incast show examples/incast.toml > shown") + fenced("sh", "test -s shown")
    assert read(page) == ["", ""]
    (said,) = read(fenced("sh", "incast run nothing.toml"))
    assert "exit code 2" in said
    assert "nothing.toml: no such file" in said
    assert read(fenced("sh", "incast run nothing.toml", "refused")) == [""]
    assert read(fenced("sh", "true", "refused")) == ["exit code 0\n"]


def test_options_that_there_are_not(read):
    for remark in ("", "not run: minutes"):
        (said,) = read(fenced("sh", "incast run examples/incast.toml --sed 2", remark))
        assert "unrecognized arguments: --sed 2" in said


def test_a_shorter_command_takes_the_place_of_a_long_one(read):
    remark = "runs incast show examples/incast.toml: all of it takes minutes"
    assert read(fenced("sh", "incast reproduce fairness", remark)) == [""]
    (said,) = read(fenced("sh", "incast reproduce fairness --quik", remark))
    assert "unrecognized arguments: --quik" in said
    (said,) = read(fenced("sh", "incast reproduce fairness", "runs incast show nothing.toml: why"))
    assert "nothing.toml: no such file" in said


def test_python_goes_on_from_block_to_block(read):
    assert read(fenced("python", "x = 2") + fenced("python", "assert x == 2")) == ["", ""]
    (said,) = read(fenced("python", "y = 1\nassert y == 3"))
    assert "line 2" in said
    assert "AssertionError" in said


def test_python_has_what_incast_installs(read):
    first, second = read(
        fenced("python", "import pyarrow, incast") + fenced("python", "import polars")
    )
    assert first == ""
    assert "the page has to say `pip install`" in second
    page = fenced("sh", "pip install polars   # data frames") + fenced("python", "import polars")
    assert read(page) == ["", ""]


def test_output_is_compared(read):
    run = fenced("python", "print('p99', 4.25)\nprint('done')")
    for shown, same in (("p99 4.25\ndone", True), ("p99 …\ndone", True), ("p99 4.26\ndone", False)):
        found = read(run + fenced("text", shown, "output"))
        assert (found == ["", ""]) == same
    assert read(fenced("console", "$ echo one two\none two")) == [""]
    (said,) = read(fenced("console", "$ echo one two\none three"))
    assert "what is printed is\none two" in said
    assert difference("a  \nb\n", "a\nb") == ""


def test_scenarios_are_checked(read):
    assert read(fenced("toml", '[cc]\nalgorithm = "swift"')) == [""]
    (said,) = read(fenced("toml", '[cc]\nalgorithm = "swfit"'))
    assert "did you mean `swift`" in said
    wrong = fenced("toml wrong", '[network]\ntopology = "star"\nlink_delay = "1"')
    message = "run.toml:3: network.link_delay: `1` has no unit; write e.g. `1us`"
    assert read(wrong + fenced("text", message)) == ["", ""]
    assert read(wrong + fenced("text", "no such message"))[1] != ""
    assert read(fenced("toml wrong", '[network]\ntopology = "star"'))[0] == ""


def test_parts_belong_to_the_scenario_that_a_page_has_saved(read):
    rack = 'network = { topology = "leaf-spine" }\ncc = { algorithm = "swift" }\n'
    rack += 'traffic = [{ kind = "incast", receiver = 0, sizes = "1MB" }]'
    part = '[measure]\nqueues = { ports = ["switch 144 port 0"], every = "1us" }'
    (said,) = read(fenced("toml", part))
    assert "there is no node `switch 144`" in said
    assert read(fenced("toml", rack, "save as mine.toml") + fenced("toml", part)) == ["", ""]


def test_rust_stands_where_it_is_compiled(read):
    remark = "part of crates/incast-cc/src/guide.rs"
    assert read(fenced("rust", "use incast_units::{Bytes, Rate, Time};", remark)) == [""]
    assert read(fenced("rust", "use nothing;", remark)) == ["does not stand in " + remark[8:]]
    (said,) = read(fenced("rust", "fn main() {}"))
    assert "`rust` is not known here" in said


def test_remarks_that_mean_nothing(tmp_path):
    page = tmp_path / "page.md"
    for text in (
        "<!-- snippet: skip -->\n```sh\ntrue\n```",
        "<!-- snippet: not run: x -->\n\nNo block.",
    ):
        page.write_text(text)
        with pytest.raises(AssertionError, match="remark"):
            blocks(page)


def test_code_in_text(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("Type `incast list`.\n\n| a |\n|---|\n| `incast\nx` |\n| `incast show` |\n")
    found = [code for _, code in code_in_lines(page)]
    assert found[0] == "incast list"
    assert "incast show" in found
    assert wrong_arguments("incast show") == wrong_arguments("the incast model") == ""
    assert "did you mean `show`?" in wrong_arguments("incast shwo x.toml")
