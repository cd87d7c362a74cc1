"""Studies as files."""

from pathlib import Path

from incast.study.study import Study

HEAD = 'scenario = "star.toml"\nmeasure = [\n  "slowdown.p99",\n]\n'


def study(text):
    Path("study.toml").write_text(text)
    return Study("study.toml")
