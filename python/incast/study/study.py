"""A study file: read, and checked up to its last run before the first run begins."""

from __future__ import annotations

import copy
import math
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from incast import toml
from incast.campaign.checked_run import CheckedRun
from incast.errors import Error, ScenarioError, StudyError
from incast.files import check_readable, checked_path, file_name
from incast.machine import available_memory, resident_memory
from incast.names import hint
from incast.present.charts.chart import Quantity
from incast.present.units import bytes_text
from incast.scenario import (
    LARGEST_FILE,
    Scenario,
    ScenarioText,
    in_utf8,
    is_in_a_file,
    read,
    segments,
)
from incast.study.means import SEED
from incast.study.measures import Measure, measure_named
from incast.study.places import Place, Source
from incast.study.quantities import OwnAlgorithm, number, value_text
from incast.study.selection import Selection, entry_names
from incast.study.variation import (
    KEYS_OF_RUN,
    NOTHING,
    Point,
    Varied,
    apart,
    check_identities,
    check_points,
    grid,
    long_name,
    points_of_file,
    points_of_tables,
    product,
)

__all__ = ["PlannedRun", "Study"]

MAX_RUNS = 100_000
"""The most runs of a study; each is checked before the first begins."""
_FIRST_LOOK = 64
"""After this many checked runs, the memory of all runs is estimated; again after twice as many, and
so on.
"""
_KEYS = ("name", "scenario", "vary", "points", "measure")
_ALGORITHM = re.compile(r"(traffic\.\d+\.)?cc(\.algorithm)?")
"""Keys that name an algorithm."""
_ENTRIES = re.compile(r"traffic(\.\d+(\.(name|kind))?)?")
"""Keys that add or rename traffic entries."""
_FILE = re.compile(r"(traffic\.\d+\.)?cc\.file")
"""Keys that name the file of an algorithm."""
_MEASURE_KEYS = ("of", "name", "larger_than", "up_to", "traffic", "flows")
_FLOWS = ("counted", "all")
_NOT_OF_SCENARIOS = ("source", "settings", "folder")
"""Arguments of the Python class that are no keys of scenarios."""
OWN_COLUMNS = (SEED, "identity", "failure")
"""Columns of the dataset, beside varied keys and measures."""


@dataclass(frozen=True)
class PlannedRun:
    """A run of a study."""

    values: Mapping[str, Any]
    """The values of the varied keys."""
    checked: CheckedRun

    @property
    def label(self) -> str:
        """The varied values in words."""
        return _listed(self.values)


class Study:
    """A study that has been checked.

    Args:
        source: A TOML file, or a dict of the same shape.

    Attributes:
        name: The name in titles and folder names.
        text: The study as it was written.
        keys: The varied keys, in the order of the file.
        measures: The measures.
        runs: All runs, the last key varying fastest.

    Raises:
        StudyError: The study is not valid.
        ScenarioError: The scenario's own file is not valid.
    """

    def __init__(self, source: str | Path | Mapping[str, Any]) -> None:
        if isinstance(source, Mapping):
            parsed, self.text = _written(source)
            self._source, self._folder, stem = Source(None), Path(), "study"
        else:
            path = checked_path(source, StudyError)
            self.text = _text(path)
            self._source, self._folder = Source(str(source), self.text), path.parent
            parsed, stem = self._parsed(), path.stem
        self._classes: dict[str, str] = {}
        self._check_keys(parsed)
        self.name = self._checked_name(str(parsed.get("name", stem)))
        self._scenario = self._base(parsed["scenario"])
        points = self._together(parsed.get("points"))
        varied = self._grid(parsed.get("vary", {}), points)
        together = (key for point in points for key in point.values)
        self.keys = list(dict.fromkeys([*together, *(each.key for each in varied)]))
        planned = list(self._points(points, varied))
        self.runs = self._checked(planned)
        check_identities(planned, [run.checked.identity for run in self.runs])
        self.measures = self._measures(parsed["measure"])

    @property
    def kind(self) -> str:
        """Whether the scenario is of a network or of a memory fabric."""
        return self.runs[0].checked.scenario.kind

    def measuring(self, more: Sequence[Measure]) -> Study:
        """The study with further measures.

        Raises:
            StudyError: Two measures have the same name.
        """
        study = copy.copy(self)
        study.measures = [*self.measures, *more]
        for count, each in enumerate(study.measures):
            if twice := study._twice(each, study.measures[:count]):
                raise StudyError(twice, hint="give one another name")
        return study

    def _twice(self, measure: Measure, others: Sequence[Measure]) -> str | None:
        """The mistake in a measure's names, if another column has one of them; otherwise
        ``None``.
        """
        taken = {*self.keys, *OWN_COLUMNS}.union(*(each.names for each in others))
        again = taken & measure.names
        return f"there are two columns `{min(again)}`" if again else None

    def _parsed(self) -> dict[str, Any]:
        try:
            return tomllib.loads(self.text)
        except tomllib.TOMLDecodeError as error:
            what, _, place = str(error).partition(" (at ")
            found = re.match(r"line (\d+)", place)
            line = int(found[1]) if found else self.text.count("\n") + 1
            # With `cc = […]` and `cc.gain = […]`, TOML complains that `cc` is no table.
            hint = (
                'write keys with dots in quotes: "cc.gain" = [1, 2]'
                if "namespace" in what
                else None
            )
            file = self._source.file
            raise StudyError(f"no TOML: {what}", file=file, line=line, hint=hint) from None

    def _check_keys(self, parsed: Mapping[str, Any]) -> None:
        if "scenario" not in parsed and ("network" in parsed or "fabric" in parsed):
            file = self._source.file
            named = f'scenario = "{Path(file).name}"' if file else "scenario = …"
            remedy = f"write a study beside it: {named}, measure, and [vary] (docs/sweeps.md)"
            raise StudyError("is a scenario, not a study", file=file, hint=remedy)
        for key in parsed:
            if key not in _KEYS:
                raise self._source.at(key).error(f"unknown key `{key}`", hint=hint(key, _KEYS))
        for key, example in (("scenario", '"star.toml"'), ("measure", '["slowdown.p99"]')):
            if not parsed.get(key):
                what = f"`{key}` is missing"
                raise StudyError(what, file=self._source.file, hint=f"add {key} = {example}")

    def _checked_name(self, name: str) -> str:
        """Checks that the name can be the name of a folder."""
        place = self._source.at("name")
        try:
            name.encode()
        except UnicodeEncodeError:
            raise place.error("is not text in UTF-8", key="name") from None
        if not file_name(name).strip("."):
            hint = 'write letters or digits, e.g. name = "load"'
            raise place.error(f"`{name}` cannot be the name of a folder", key="name", hint=hint)
        return name

    def _base(self, scenario: object) -> ScenarioText:
        """Reads the scenario once, so that a change of the file meanwhile affects all runs or
        none.
        """
        with in_utf8():
            if isinstance(scenario, str):
                return read(self._folder / scenario)
            if isinstance(scenario, Scenario):
                return read(scenario.to_dict()).beside(scenario.folder)
            if isinstance(scenario, Mapping):
                return read(scenario).beside(self._folder)
        raise self._source.at("scenario").error(
            "is neither the name of a file nor a table",
            hint='write scenario = "star.toml", or [scenario.network] and so on',
        )

    def _together(self, points: object) -> list[Point]:
        place = self._source.at("points")
        if points is None:
            return [NOTHING]
        found = None
        if isinstance(points, str):
            found = points_of_file(points, self._folder, place)
        elif isinstance(points, Sequence) and all(isinstance(each, Mapping) for each in points):
            found = points_of_tables(points, self._source)
        if found is not None:
            check_points(found, place)
            return found
        what = "are neither tables nor the name of a file"
        raise place.error(what, hint='write [[points]], or points = "points.csv"')

    def _grid(self, vary: object, points: Sequence[Point]) -> list[Varied]:
        if not isinstance(vary, Mapping):
            raise self._source.at("vary").error("is no table", hint="write [vary], and keys below")
        varied = grid(vary, self._source)
        together = {key for point in points for key in point.values}
        for each in varied:
            if each.key in together:
                raise each.place.error("is varied in [vary] and in `points`", key=each.key)
        if not varied and not together:
            example = "add [vary], and below it e.g. seed = [1, 2]"
            raise StudyError("nothing is varied", file=self._source.file, hint=example)
        return varied

    def _points(self, points: Sequence[Point], varied: Sequence[Varied]) -> Iterator[Point]:
        count = len(points) * math.prod(len(each.values) for each in varied)
        if count > MAX_RUNS:
            what = f"the study has {count} runs, more than {MAX_RUNS}"
            raise StudyError(what, file=self._source.file, hint="vary less, or in several studies")
        return apart(product(points, varied))

    def _checked(self, points: Sequence[Point]) -> list[PlannedRun]:
        """The checked runs. Each is in memory from its check to its end, so their memory is
        estimated.
        """
        # Memory of the first run is left out, as other runs share part of it.
        runs = [self._planned(points[0])]
        before, look_at = resident_memory() or 0, _FIRST_LOOK
        for point in points[1:]:
            runs.append(self._planned(point))
            if len(runs) == look_at:
                look_at *= 2
                each = ((resident_memory() or 0) - before) / (len(runs) - 1)
                self._check_memory(each * (len(points) - len(runs)), len(points))
        return runs

    def _check_memory(self, needed: float, runs: int) -> None:
        available = available_memory()
        if available is not None and needed > available:
            raise StudyError(
                f"{runs} runs are too many for this machine: to be checked and held until they "
                f"begin, they would take {bytes_text(needed)} more of memory, and "
                f"{bytes_text(available)} are available",
                file=self._source.file,
                hint="vary less, or in several studies",
            )

    def _planned(self, point: Point) -> PlannedRun:
        try:
            for key in point.values:
                if key.partition(".")[0] in _NOT_OF_SCENARIOS:
                    raise ScenarioError(f"unknown key `{key}`", key=key)
            for key, value in point.values.items():
                _check_value(key, value, point.places[key])
            values = {key: self._found(key, value) for key, value in point.values.items()}
            # A table replaces the scenario's table as a whole, as with --set.
            tables = [key for key, value in values.items() if isinstance(value, Mapping)]
            settings = [(key, toml.inline(values.pop(key))) for key in tables]
            scenario = Scenario(self._scenario, settings=settings, **values)
            checked = CheckedRun.of(scenario)
            named = {key: self._called(key, value) for key, value in point.values.items()}
            return PlannedRun(named, checked)
        except ScenarioError as error:
            raise self._explained(error, point) from None

    def _found(self, key: str, value: Any) -> Any:
        """A value in which paths of algorithms' files are relative to the study's folder."""
        if isinstance(value, Mapping):
            return {name: self._found(f"{key}.{name}", each) for name, each in value.items()}
        if key == "traffic" and isinstance(value, list):
            return [self._found(f"{key}.{number}", each) for number, each in enumerate(value)]
        is_file = _FILE.fullmatch(key) or (_ALGORITHM.fullmatch(key) and is_in_a_file(str(value)))
        if isinstance(value, str) and is_file:
            return str((self._folder / value).absolute())
        return value

    def _called(self, key: str, value: Any) -> Any:
        """A value; the file of an algorithm is labelled with the name of its class."""
        if not (isinstance(value, str) and _ALGORITHM.fullmatch(key) and is_in_a_file(value)):
            return value
        if value not in self._classes:
            from incast.algorithm import class_label

            self._classes[value] = class_label(value, self._folder)
        return OwnAlgorithm(value, self._classes[value])

    def _explained(self, error: ScenarioError, point: Point) -> Error:
        """The error of a scenario, with the place of the varied value that caused it."""
        if error.file is not None:
            return error
        said = ".".join(segments(error.key or ""))
        to_blame = [key for key in point.values if _concerns(said, long_name(key))]
        if not to_blame:
            path = [int(part) if part.isdecimal() else part for part in said.split(".")]
            return Place(self._source, ("scenario", *path)).error(
                error.what, key=error.key, hint=error.hint
            )
        left_out = {*to_blame, SEED}
        others = {key: value for key, value in point.values.items() if key not in left_out}
        what = f"{error.what} (with {_listed(others)})" if others else error.what
        place = point.places[max(to_blame, key=len)]
        return place.error(what, key=error.key, hint=error.hint)

    def _measures(self, asked: object) -> list[Measure]:
        place = self._source.at("measure")
        if isinstance(asked, str | Mapping):
            entries = [(asked, place)]
        elif isinstance(asked, Sequence):
            entries = [(each, self._source.at("measure", n)) for n, each in enumerate(asked)]
        else:
            hint = 'write measure = ["slowdown.p99"]'
            raise place.error("is no list of measures", hint=hint)
        measures: list[Measure] = []
        for entry, place in entries:
            found = self._measure(entry, place)
            if twice := self._twice(found, measures):
                raise place.error(twice, hint="give one of them another `name`")
            measures.append(found)
        return measures

    def _measure(self, asked: object, place: Place) -> Measure:
        asked = {"of": asked} if isinstance(asked, str) else asked
        if not isinstance(asked, Mapping) or not isinstance(asked.get("of"), str):
            example = 'write e.g. { of = "slowdown.p99", up_to = "10KB" }'
            what = "is neither the name of a measure nor a table with `of`"
            raise place.error(what, hint=example)
        for key in asked:
            if key not in _MEASURE_KEYS:
                raise place.error(f"unknown key `{key}`", hint=hint(key, _MEASURE_KEYS))
        try:
            found = measure_named(asked["of"])
        except KeyError as error:
            what = f"unknown measure `{asked['of']}`"
            raise place.error(what, hint=str(error.args[0])) from None
        if found.kind != self.kind:
            what = f"`{found.name}` is of a {found.kind}, and the scenario is of a {self.kind}"
            raise place.error(what, hint="`incast list measures` has all")
        name = str(asked.get("name", ""))
        if asked.keys() <= {"of", "name"}:
            return found.named(name) if name else found
        if not found.selects:
            what = f"`{found.name}` is of the whole run: no flows of it can be chosen"
            raise place.error(what, hint="slowdown, fct and flow-goodput are of flows")
        sizes = {key: _size(asked.get(key), key, place) for key in ("larger_than", "up_to")}
        flows = asked.get("flows", "counted")
        if flows not in _FLOWS:
            what = f"`{flows}` says of no flows whether they count"
            raise place.error(what, key="flows", hint=f"write one of {', '.join(_FLOWS)}")
        traffic = self._entry(asked, place)
        chosen = Selection(**sizes, traffic=traffic, all_flows=flows == "all")
        return found.of_flows(chosen, name)

    def _entry(self, asked: Mapping[str, Any], place: Place) -> str:
        """The traffic entry that a measure asks for, by name or number. Some run must have it."""
        if "traffic" not in asked:
            return ""
        traffic = str(asked["traffic"])
        names: list[str] = []
        for run in self._with_entries_apart():
            found = entry_names(run.checked.scenario.to_dict()["traffic"])
            names += [*found, *(str(number) for number in range(len(found)))]
        if traffic not in names:
            known = [each for each in dict.fromkeys(names) if not each.isdecimal()]
            what = f"there is no traffic entry `{traffic}`"
            raise place.error(what, key="traffic", hint=hint(traffic, known))
        return traffic

    def _with_entries_apart(self) -> Iterable[PlannedRun]:
        """One run for each different list of traffic entries; an entry must be in one of them."""
        keys = [key for key in self.keys if _ENTRIES.fullmatch(key)]
        chosen = (tuple(repr(run.values.get(key)) for key in keys) for run in self.runs)
        return dict(zip(chosen, self.runs, strict=True)).values()


def _text(path: Path) -> str:
    hint = "keep long lists of points in a file of their own"
    try:
        check_readable(path, StudyError, largest=LARGEST_FILE, of="a study", hint=hint)
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise StudyError(error.strerror or str(error), file=str(path)) from None
    except UnicodeDecodeError:
        raise StudyError("is not text in UTF-8", file=str(path)) from None


def _written(study: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
    """A study given as a dict, in the form of a parsed file, and its text as TOML. The dict keeps
    scenarios that are already checked.
    """
    try:
        parsed = {key: _plain(value) for key, value in study.items()}
        checked = {key: value for key, value in study.items() if isinstance(value, Scenario)}
        return parsed | checked, toml.dumps(parsed)
    except (TypeError, ValueError) as error:
        # The message is written for scenarios; here it is about a study.
        what = re.sub("^(a key of )?a scenario", r"\1a study", str(error))
        raise StudyError(what, hint="give numbers, texts, truth values, lists and dicts") from None
    except RecursionError:
        what = "the dict has hundreds of levels, or holds itself"
        raise StudyError(what, hint="write it as a study file would have it") from None


def _plain(value: Any) -> Any:
    """A Python value in the form of a parsed file: arrays, ranges and tuples become lists."""
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_plain(each) for each in value]
    if isinstance(value, Scenario):
        return value.to_dict()
    return str(value) if isinstance(value, Path) else value


def _check_value(key: str, value: object, place: Place) -> None:
    """Refuses values that no scenario can hold, and a seed hidden inside of a table `run`."""
    try:
        toml.inline(value)
    except (TypeError, ValueError) as error:
        raise place.error(str(error), key=key) from None
    if key == "run" and isinstance(value, Mapping) and SEED in value:
        raise place.error("has a seed", key=key, hint=KEYS_OF_RUN)


def _size(value: object, key: str, place: Place) -> float | None:
    if value is None:
        return None
    found = number(value)
    if found is None or found[1] is not Quantity.SIZE:
        raise place.error(f"{key}: `{value}` is no size", hint='write e.g. "10KB"')
    return found[0]


def _concerns(said: str, key: str) -> bool:
    """Whether the key of an error is this key, is below it, or is above it."""
    return f"{said}.".startswith(f"{key}.") or f"{key}.".startswith(f"{said}.")


def _listed(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{key} = {value_text(value)}" for key, value in values.items())
