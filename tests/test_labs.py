"""The lab sheets: right answers pass the checks, wrong answers get a hint."""

import re

import incast
import pytest
from test_notebooks import EXAMPLES, execute, read

FOLDER = EXAMPLES / "labs"
RULE = """\
            if ack.next_expected > self.cut_up_to:
                self.window = max((1 - self.beta) * self.window, self.packet)
                self.cut_up_to = ack.next_to_send"""
NO_RULE = "            ...  # your rule; a window has a packet at least"
ANSWERS = {
    # (16 − 1) · 104.8 KB; 16 · 104.8 KB / 12.5 GB/s + 4.09 µs.
    "1-incast-and-buffers": {
        "queue_kb": (1572, 1676.8),
        "last_us": (138.24, 134.14),
        "senders": (10, 9),
        "timeout_us": (1000, 9000),
        "algorithm": ("dctcp", "swift"),
    },
    # 100² / (3 · 3750); 60 / 2⁴ = 3.75.
    "2-fairness": {
        "index": (0.889, 0.725),
        "least": (0.25, 0),
        "cuts": (4, 3),
        "fairest": ("hpcc", "swift"),
        "microseconds": (940, 1940),
    },
    # 2 · 2 µs · 50 GB/s + 2 · 1048 B; 1.048 MB / 12.5 GB/s + 9.2 µs.
    "3-pfc-and-its-victims": {
        "headroom_kb": (202.1, 102.1),
        "alone_us": (93.04, 83.84),
        "hosts": ({0, 1, 2}, {0, 1}),
        "paused_us": (83.0, 136.9),
        "change": ("trunk", "hpcc"),
    },
    # 14 · (2 MB · 1.108 / 12.5 GB/s + 2 µs); 128 Mb / 2509.9 µs · 14 / 8; 3/4 · 2/4.
    "4-collectives-and-ecmp": {
        "ring_us": (2509.9, 2375.5),
        "bus_gbps": (89.25, 51.0),
        "probability": (0.375, 0.094),
        "flows": (3, 2),
        "balancer": ("reps", "flow"),
    },
    # 1/4 · 52.2 KB.
    "5-an-algorithm-of-your-own": {
        "threshold_kb": (13.05, 10.4),
        "beta": (0.8, 0.1),
    },
}


def answered(lab, which, replaced=()):
    """The sheet with its right (0) or wrong (1) answers."""
    sheet = read(FOLDER / f"{lab}.ipynb")
    answers = {f"{name} = ...": f"{name} = {each[which]!r}" for name, each in ANSWERS[lab].items()}
    for blank, answer in (answers | dict(replaced)).items():
        holders = [cell for cell in sheet.cells if blank in cell.source]
        assert len(holders) == 1, blank
        holders[0].source = holders[0].source.replace(blank, answer)
    return sheet


def verdicts(sheet):
    texts = [
        each.text for cell in sheet.cells for each in cell.get("outputs", ()) if "text" in each
    ]
    return re.findall(r"^Question (\d): (right|not yet|waits)|^(\d of \d)", "\n".join(texts), re.M)


def told(verdict, score):
    return [*((str(number), verdict, "") for number in range(1, 6)), ("", "", f"{score} of 5")]


def test_every_lab_has_answers():
    assert sorted(ANSWERS) == sorted(file.stem for file in FOLDER.glob("*.ipynb"))


@pytest.mark.parametrize("lab", ANSWERS)
def test_a_lab_is_stored_without_answers(lab):
    sheet = read(FOLDER / f"{lab}.ipynb")
    blanks = re.findall(r"^(\w+) = \.\.\.$", "\n".join(cell.source for cell in sheet.cells), re.M)
    assert blanks == list(ANSWERS[lab])
    assert not [each for each in verdicts(sheet) if each[1] == "right"]


@pytest.mark.slow
@pytest.mark.parametrize("lab", ANSWERS)
def test_right_answers_pass(lab, tmp_path):
    rule = {NO_RULE: RULE} if lab.startswith("5") else {}
    sheet = answered(lab, 0, rule)
    execute(sheet, FOLDER / f"{lab}.ipynb", tmp_path)
    assert verdicts(sheet) == told("right", 5)


@pytest.mark.slow
@pytest.mark.parametrize("lab", ANSWERS)
def test_wrong_answers_are_refused(lab, tmp_path):
    sheet = answered(lab, 1)
    execute(sheet, FOLDER / f"{lab}.ipynb", tmp_path)
    assert verdicts(sheet) == told("not yet", 0)


@pytest.fixture
def checks(monkeypatch):
    """Puts the folder of the labs on the path, so that their checks can be imported."""
    monkeypatch.syspath_prepend(str(FOLDER))


@pytest.mark.parametrize(
    ("answer", "hint"),
    [
        (2.01, None),
        (2.03, "no"),
        (16, "Look at the unit: it seems to be a slip of bits and bytes."),
        (0.002, "Look at the unit: it seems to be a slip of thousands."),
        ("2 KB", "Give a number, without its unit."),
        (True, "Give a number, without its unit."),
    ],
)
def test_a_number_may_be_off_by_a_hundredth(checks, answer, hint):
    from checks.answers import near

    assert near(answer, 2, "no") == hint


def test_an_answer_that_is_no_choice_is_told_the_choices(checks):
    from checks.answers import same

    assert same("a", "a", ["a", "b"], "no") is None
    assert same("b", "a", ["a", "b"], "no") == "no"
    assert same("c", "a", ["a", "b"], "no") == "Choose from a, b."


def test_an_answer_that_becomes_wrong_no_longer_counts(checks, capsys):
    from checks.answers import Questions, near

    check = Questions()
    check.add(lambda answer: near(answer, 2, "Count."))
    for answer in (..., 2, 3):
        check(1, answer)
        check.score()
    assert capsys.readouterr().out.splitlines() == [
        "Question 1: waits for your answer.",
        "0 of 1 answers are right.",
        "Question 1: right.",
        "1 of 1 answers are right.",
        "Question 1: not yet. Count.",
        "0 of 1 answers are right.",
    ]


@pytest.mark.parametrize(
    ("rule", "passed"),
    [
        (RULE, {2, 3, 4}),
        # The method does nothing, as on the sheet.
        ("            pass", set()),
        # A cut at each mark: the queue is short, and often empty.
        ("            self.window = max(self.window / 2, self.packet)", {2, 4}),
    ],
    ids=["once a window", "never", "at each mark"],
)
def test_a_rule_is_judged_by_what_it_does(checks, tmp_path, monkeypatch, capsys, rule, passed):
    from checks.algorithm import check

    monkeypatch.chdir(tmp_path)
    cells = read(FOLDER / "5-an-algorithm-of-your-own.ipynb").cells
    file = next(cell.source for cell in cells if cell.source.startswith("%%writefile"))
    (tmp_path / "mine.py").write_text(file.partition("\n")[2].replace(NO_RULE, rule))
    scenario = next(cell.source for cell in cells if "def flows(" in cell.source)
    names = {}
    exec(scenario.partition("\n\n\ntwo = ")[0], names)
    run = incast.run(names["flows"](2, "40MB", "1ms"))
    for number in (2, 3, 4):
        check(number, "mine.py", run)
    said = capsys.readouterr().out
    assert {int(each) for each in re.findall(r"Question (\d): right", said)} == passed
