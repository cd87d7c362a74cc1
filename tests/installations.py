"""Distributions with papers, as pip leaves them in a folder."""

from importlib.metadata import distribution

OURS = {entry.name: entry.module for entry in distribution("incast-papers").entry_points}
"""The papers of this repository: for each name, its package."""


def installed(site, distribution, papers, files=None):
    """Installs a distribution into a folder that is on the path of modules.

    Args:
        site: The folder.
        distribution: The name of the distribution.
        papers: Its papers: for each name, the object that the entry point names.
        files: Texts of its files, by path.
    """
    metadata = site / f"{distribution.replace('-', '_')}-1.0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.0\n"
    )
    points = "".join(f"{name} = {value}\n" for name, value in papers.items())
    (metadata / "entry_points.txt").write_text(f"[incast.papers]\n{points}")
    for name, text in (files or {}).items():
        (site / name).parent.mkdir(exist_ok=True)
        (site / name).write_text(text, encoding="utf-8")
