"""HTML documents in a single file: filled templates, with styles and scripts inside.

Jinja2 escapes every value. Only assets of this package, and charts encoded as JSON, are marked as
safe.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib import resources
from typing import Any

from markupsafe import Markup

from incast.files import file_name
from incast.present import palette
from incast.present.charts import Chart
from incast.present.html.diagram import diagram
from incast.present.html.encoding import encode
from incast.present.html.environment import environment

__all__ = ["VERDICTS", "document", "sheet"]

VERDICTS = "verdicts.css"
"""The style sheet of pages with verdicts: on claims of papers, on checks of algorithms."""


def document(
    template: str,
    *,
    package: str = __package__,
    title: str,
    charts: Iterable[tuple[str, Chart]],
    version: str,
    of_flows: bool = True,
    style: str = "",
    scripts: Sequence[str] = (),
    **values: Any,
) -> str:
    """A page from a template that extends ``document.html``.

    Args:
        template: The name of the template.
        package: The package whose folder ``templates`` has the template.
        title: The title of the page.
        charts: The charts in the order of the body, each with the file name under which readers
            save it.
        version: The version of incast.
        of_flows: Whether the page shows flows; a memory fabric has none.
        style: An additional style sheet: CSS of this package.
        scripts: Additional parts of the script, which see all names of the others: JavaScript of
            this package.
        values: Values for the template, as plain text, which is escaped.
    """
    templates = environment(package)
    templates.globals["diagram"] = diagram
    templates.filters["file_name"] = file_name
    sheets = (_asset("uPlot.min.css"), palette.style_sheet(), _asset("report.css"), style)
    return templates.get_template(template).render(
        title=title,
        style=Markup("".join(sheets)),
        version=version,
        of_flows=of_flows,
        charts=Markup(encode(charts)),
        script=Markup(_script(scripts)),
        **values,
    )


def sheet(name: str) -> str:
    """The text of a style sheet of this package."""
    return _asset(name)


_PARTS = (
    "numbers",
    "colours",
    "marks",
    "data",
    "axes",
    "curves",
    "pointer",
    "svg",
    "csv",
    "save",
    "legend",
    "map-places",
    "map-paint",
    "map",
    "map-choosing",
    "page",
)
"""Parts of the script, which all see each other's names. The last part starts drawing."""


def _script(more: Sequence[str]) -> str:
    *first, page = (_asset(f"report/{name}.js") for name in _PARTS)
    parts = "\n".join([*first, *more, page])
    return f'{_asset("uPlot.iife.min.js")}\n(() => {{\n"use strict";\n{parts}\n}})();'


def _asset(name: str) -> str:
    return resources.files(__package__).joinpath("assets", name).read_text(encoding="utf-8")
