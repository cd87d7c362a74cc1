"""The page on citing, made from CITATION.cff and LICENSE."""

from __future__ import annotations

from typing import Any

import yaml

from incast_website.repository import ROOT

__all__ = ["bibtex", "page"]


def page() -> str:
    """The page: how to cite, the licence, and where the source is."""
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    licence = (ROOT / "LICENSE").read_text(encoding="utf-8").rstrip()
    pieces = [
        "# How to cite, licence",
        "## How to cite",
        cited["message"],
        f"```bibtex\n{bibtex(cited)}\n```",
        "Each [algorithm's page](algorithms/index.md) names its papers. For results to be "
        "repeated, give the version, the scenario file and the fingerprint of the run, which "
        "[a run prints](start.md#first-run).",
        "## Source",
        _source(cited),
        "## Licence",
        f"{cited['license']}:",
        f"```text\n{licence}\n```",
    ]
    return "\n\n".join(pieces) + "\n"


def bibtex(cited: dict[str, Any]) -> str:
    """The program as a BibTeX entry."""
    fields = {
        "author": " and ".join(_author(each) for each in cited["authors"]),
        "title": f"{{{cited['title']}}}",
        "version": str(cited["version"]),
        "year": str(cited.get("date-released", ""))[:4],
        "doi": cited.get("doi", ""),
        "url": cited.get("repository-code", cited.get("url", "")),
        "license": cited["license"],
    }
    lines = [f"  {name:<7} = {{{value}}}," for name, value in fields.items() if value]
    return "\n".join([f"@software{{incast-{cited['version']},", *lines, "}"])


def _author(author: dict[str, str]) -> str:
    if "name" in author:
        return f"{{{author['name']}}}"
    return f"{author['family-names']}, {author['given-names']}"


def _source(cited: dict[str, Any]) -> str:
    address = cited.get("repository-code")
    where = f"<{address}>, has" if address else "from which this site was built, has"
    return (
        f"One repository, {where} engine, Python front, tests and these pages. In a checkout of it "
        "`./dev demo` builds the program, as [Install and first run](start.md) says, and "
        "[Contributing](contributing.md) says how to change it."
    )
