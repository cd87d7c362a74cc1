"""Tables of the names that scenarios and commands accept, from the registries of the program."""

from __future__ import annotations

import re

import incast

from incast_website.markdown import code, table
from incast_website.repository import ROOT

__all__ = ["examples_page", "page"]


def page() -> str:
    """The page of names: the output of `incast list` as tables."""
    kinds = [
        (
            "Topologies",
            incast.topologies(),
            "`topology` of `[network]`; [kinds with parameters](keys.md#network-topology).",
        ),
        (
            "Load balancing",
            incast.balancers(),
            "`balance` of `[network]` and of traffic entries; [keys](keys.md#balance), "
            "[which to take](../multipath.md).",
        ),
        ("Flow sizes", incast.workloads(), "`sizes` of a `[[traffic]]` entry."),
        (
            "Profiles",
            incast.profiles(),
            "`profile` of `[network]`; what each decides is in [Profiles](../profiles.md).",
        ),
        (
            "Measures of studies",
            incast.measures(),
            "`measure` of a [study](../sweeps.md). `STAT` "
            "stands for `mean`, `min`, `max` or a percentile such as `p99.9`.",
        ),
        ("Charts", incast.charts(), "`incast plot --chart`, and `results.plot(…)`."),
    ]
    pieces = ["# Topologies, sizes, measures, charts", "What `incast list` prints."]
    for title, names, where in kinds:
        rows = [(code(name), summary) for name, summary in names.items()]
        pieces += [f"## {title}", where, table(["name", "what"], rows)]
    return "\n\n".join(pieces) + "\n"


def examples_page() -> str:
    """The page of example scenarios, with the text of each file in `examples/`."""
    pieces = [
        "# Examples",
        "Scenarios, one idea each; a test runs all of them. Save one, or take it from `examples/` "
        "in the repository, and `incast run` it. Those under `live` are programs that "
        "[drive a network](live-networks.md).",
    ]
    files = sorted((ROOT / "examples").rglob("*.toml"))
    for file in sorted(files, key=lambda file: file.parent.name == "studies"):
        text = file.read_text(encoding="utf-8").strip()
        inside = file.relative_to(ROOT / "examples").as_posix()
        pieces += [f"## {inside} {{ #{file.stem} }}", f"```toml\n{text}\n```"]
        for name in re.findall(r'\bfile = "([^"]+)"', text):
            beside = (file.parent / name).read_text(encoding="utf-8").strip()
            pieces += [f"`{name}`:", f"```text\n{beside}\n```"]
    for file in sorted((ROOT / "examples/live").glob("*.py")):
        text = file.read_text(encoding="utf-8").strip()
        pieces += [f"## live/{file.name} {{ #{file.stem} }}", f"```python\n{text}\n```"]
    notebooks = sorted((ROOT / "examples/notebooks").glob("*.ipynb"))
    listed = "\n".join(f"- `examples/notebooks/{file.name}`" for file in notebooks)
    labs = "[Teaching](teaching.md) has lab sheets with questions."
    pieces += ["## Notebooks", "For Jupyter, as [From Python](python.md) says:", listed, labs]
    return "\n\n".join(pieces) + "\n"
