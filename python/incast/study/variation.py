"""The variation of a study: a grid of values, a list of points, or both."""

from __future__ import annotations

import csv
import itertools
import math
import tomllib
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

from incast.errors import StudyError
from incast.files import check_readable, checked_path
from incast.scenario import segments
from incast.study.means import SEED, without_seed
from incast.study.places import Place, Source
from incast.study.quantities import canonical, canonical_point
from incast.study.text_keys import is_text

__all__ = [
    "KEYS_OF_RUN",
    "NOTHING",
    "Point",
    "Varied",
    "apart",
    "check_identities",
    "check_points",
    "grid",
    "long_name",
    "points_of_file",
    "points_of_tables",
    "product",
]

_MAX_VALUES = 100_000
"""The most values in one range or one file."""

_MAX_EXACT = 2**53
"""Up to this number, integers are exact in a column of floats."""

_LARGEST_FILE = 64 << 20
"""Bytes of a file of points: some 600 for each of the most runs of a study."""

_LONG = {
    "seed": "run.seed",
    "name": "run.name",
    "stop": "run.stop",
    "cc": "cc.algorithm",
    "attack": "attack.kind",
}
"""Long names of keys, by their short names."""
_SHORT = {long: short for short, long in _LONG.items()}


class Varied(NamedTuple):
    """A key and the values that it takes in turn."""

    key: str
    values: Sequence[Any]
    place: Place


class Point(NamedTuple):
    """The varied values of one run, by key, and the place of each."""

    values: Mapping[str, Any]
    places: Mapping[str, Place]


NOTHING = Point({}, {})
"""The point at which nothing is varied."""


KEYS_OF_RUN = "in place of `run` give its keys, as `name` and `seed`, in [vary] or in [[points]]"
"""Hint for a study that varies a table `run`: the dataset has a column of the seed by itself."""


def long_name(key: str) -> str:
    """A key as errors write it: ``run.seed`` for ``seed``."""
    return _LONG.get(key, key)


def _short_name(path: Sequence[str]) -> str:
    """A key in its one spelling: ``run.seed`` is ``seed``, ``traffic[0].load`` and
    ``traffic.00.load`` are ``traffic.0.load``.
    """
    steps = (step for part in path for step in segments(part))
    key = ".".join(str(int(step)) if step.isdecimal() else step for step in steps)
    return _SHORT.get(key, key)


def grid(table: Mapping[str, Any], source: Source) -> list[Varied]:
    """The varied keys of a table, whose keys may be nested or dotted.

    Raises:
        StudyError: A value is no list of values, or a key occurs twice.
    """
    found = list(_leaves(table, (), source))
    names = [each.key for each in found]
    for place, each in enumerate(found):
        if each.key in names[:place]:
            raise each.place.error("is varied twice", key=each.key)
        again = _first_repeated(canonical(value, each.key) for value in each.values)
        if again is not None:
            first, second = (repr(each.values[place]) for place in again)
            spelt = "" if first == second else f", first as {first}"
            what = f"{second} stands there twice{spelt}: it would count twice in means"
            raise each.place.error(what, key=each.key, hint="give each value once")
    return found


def _first_repeated(values: Iterable[Hashable]) -> tuple[int, int] | None:
    """The indices of the first value that occurs twice."""
    seen: dict[Hashable, int] = {}
    for place, value in enumerate(values):
        before = seen.setdefault(value, place)
        if before < place:
            return before, place
    return None


def check_points(points: Sequence[Point], place: Place) -> None:
    """Refuses a list in which a point occurs twice."""
    again = _first_repeated(canonical_point(point.values) for point in points)
    if again is not None:
        where = next(iter(points[again[1]].places.values()), place)
        what = "this point stands there twice: it would count twice in means"
        raise where.error(what, key="points", hint="give each point once")


def apart(points: Iterable[Point]) -> Iterator[Point]:
    """The points, after a check that no key of a point is within another of its keys.

    Raises:
        StudyError: One key is within another, so that one of the two values would have no effect.
    """
    known: set[tuple[str, ...]] = set()
    for point in points:
        given = tuple(_given(key, value) for key, value in point.values.items())
        if given not in known:
            _check_apart(point, given)
            known.add(given)
        yield point


def _given(key: str, value: object) -> str:
    """The key that a value replaces. Under `cc` and `attack`, a name replaces the key of the name,
    and a table the section.
    """
    return key if isinstance(value, Mapping) else long_name(key)


def _check_apart(point: Point, given: Sequence[str]) -> None:
    steps = {tuple(path.split(".")): key for path, key in zip(given, point.values, strict=True)}
    for path, key in steps.items():
        above = (steps[path[:length]] for length in range(1, len(path)) if path[:length] in steps)
        if outer := next(above, None):
            what = f"is a part of `{outer}`, which is given, too: one of them would not count"
            remedy = f"leave one of them out, or write {path[-1]} into each value of `{outer}`"
            if key == SEED:
                remedy = KEYS_OF_RUN
            raise point.places[key].error(what, key=key, hint=remedy)


def check_identities(points: Sequence[Point], identities: Sequence[str]) -> None:
    """Refuses two points that are the same run, such as a point that states the scenario's own
    seed.
    """
    seen: dict[tuple[str, Hashable], Point] = {}
    for point, identity in zip(points, identities, strict=True):
        others = canonical_point(without_seed(point.values))
        before = seen.setdefault((identity, others), point)
        if before is not point:
            written = point if SEED in point.values else before
            seed, place = written.values.get(SEED), written.places.get(SEED)
            what = f"seed {seed} is the scenario's own, with which this point is there, too: it"
            what = f"{what} would count twice in means"
            if place is not None:
                raise place.error(what, key=SEED, hint="write a seed for each point")


def _leaves(table: Mapping[str, Any], above: tuple[str, ...], source: Source) -> Iterator[Varied]:
    for name, value in table.items():
        path = (*above, name)
        key, place = _short_name(path), source.at("vary", *path)
        if _is_range(value):
            yield Varied(key, _range(value, key, place), place)
        elif isinstance(value, Mapping) and value:
            yield from _leaves(value, path, source)
        elif isinstance(value, Sequence) and not isinstance(value, str) and value:
            yield Varied(key, list(value), place)
        else:
            hint = "write a list of values, e.g. [0.2, 0.4], or a range, e.g. { from = 1, to = 5 }"
            raise place.error("is no list of values", key=key, hint=hint)


def _is_range(value: object) -> bool:
    return (
        isinstance(value, Mapping)
        and {"from", "to"} <= value.keys() <= {"from", "to", "step"}
        and all(type(each) in (int, float) for each in value.values())
    )


def _range(value: Mapping[str, int | float], key: str, place: Place) -> list[int | float]:
    """The values of a range, both ends included. The arithmetic is decimal, so that 0.1 + 0.2 is
    0.3.
    """
    if not all(isinstance(each, int) or math.isfinite(each) for each in value.values()):
        raise place.error("a range needs finite numbers", key=key)
    low, high, step = (Decimal(str(value.get(name, 1))) for name in ("from", "to", "step"))
    if step <= 0 or high < low:
        hint = "let `from` be below `to`, and `step` above 0"
        raise place.error("is an empty range", key=key, hint=hint)
    count = int((high - low) / step) + 1
    if count > _MAX_VALUES:
        raise place.error(f"is a range of {count} values, more than {_MAX_VALUES}", key=key)
    whole = all(isinstance(each, int) for each in value.values())
    return [int(each) if whole else float(each) for each in (low + n * step for n in range(count))]


def points_of_tables(tables: Sequence[Mapping[str, Any]], source: Source) -> list[Point]:
    """The points of a list of tables, whose keys may be nested or dotted."""
    points = []
    for number, table in enumerate(tables):
        values: dict[str, Any] = {}
        places: dict[str, Place] = {}
        for path, value in _flat(table, ()):
            key, place = _short_name(path), source.at("points", number, *path)
            if key in values:
                raise place.error("is given twice in one point", key=key)
            values[key], places[key] = value, place
        points.append(Point(values, places))
    return points


def _flat(
    table: Mapping[str, Any], above: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Leaves of nested tables. A table with a `kind`, such as a topology's, counts as a value."""
    for name, value in table.items():
        path = (*above, name)
        if isinstance(value, Mapping) and value and "kind" not in value:
            yield from _flat(value, path)
        else:
            yield path, value


def points_of_file(name: str, folder: Path, place: Place) -> list[Point]:
    """The points of a CSV or Parquet file: a column for each key, a row for each point. An empty
    cell means that the scenario's own value stays.

    Raises:
        StudyError: The file cannot be read.
    """
    path = checked_path(folder / name, StudyError)
    try:
        check_readable(path, StudyError, largest=_LARGEST_FILE, of="a list of points")
        rows = list(_parquet(path) if path.suffix == ".parquet" else _csv(path))
    except OSError as error:
        what = f"{path}: {error.strerror or error}"
        raise place.error(what, hint="name a CSV or a Parquet file") from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise StudyError(f"cannot be read: {error}", file=str(path)) from None
    if not rows:
        hint = "write keys in its first row, and points in the others"
        raise StudyError("has no points", file=str(path), hint=hint)
    return _with_whole_numbers(rows)


def _with_whole_numbers(points: Sequence[Point]) -> list[Point]:
    """Points in which 1.0 is 1 again: data frames turn a column of integers with empty cells into
    floats.
    """
    count = Counter(key for point in points for key in point.values)
    return [
        point._replace(
            values={
                key: _whole(value) if count[key] < len(points) else value
                for key, value in point.values.items()
            }
        )
        for point in points
    ]


def _whole(value: object) -> object:
    if isinstance(value, float) and value.is_integer() and abs(value) <= _MAX_EXACT:
        return int(value)
    return value


def _csv(path: Path) -> Iterator[Point]:
    with path.open(encoding="utf-8-sig", newline="") as lines:
        reader = csv.DictReader(lines)
        names = _names(reader.fieldnames or [], path)
        for row in reader:
            cells = list(row.values())
            if None in row or None in cells:
                what = f"the row does not have {len(names)} cells"
                raise StudyError(what, file=str(path), line=reader.line_num)
            yield _point(names, map(_cell, cells, names), path, reader.line_num)


def _cell(text: str, key: str) -> object:
    """The value of a cell: quoted text, or a number or truth value if the key may hold one, is read
    as TOML. Other text stays as it is.
    """
    text = text.strip()
    try:
        value = tomllib.loads(f"value = {text}")["value"]
    except (tomllib.TOMLDecodeError, KeyError):
        return text or None
    kinds = str if is_text(key) else int | float | str
    return value if isinstance(value, kinds) else text


def _parquet(path: Path) -> Iterator[Point]:
    import pyarrow
    from pyarrow import parquet

    try:
        # Passed as an open file: PyArrow does not accept paths that are not UTF-8.
        with path.open("rb") as opened, parquet.ParquetFile(opened) as file:
            rows = file.metadata.num_rows
            if rows > _MAX_VALUES:
                # Compression may make a file of many rows small.
                raise StudyError(f"has {rows} points, more than {_MAX_VALUES}", file=str(path))
            table = file.read()
    except pyarrow.ArrowException as error:
        raise StudyError(f"is no Parquet file: {error}", file=str(path)) from None
    names = _names(table.column_names, path)
    for number, row in enumerate(table.to_pylist(), start=1):
        # Data frames have NaN in empty cells.
        cells = (None if value != value else value for value in row.values())
        yield _point(names, cells, path, number)


def _names(written: Iterable[str], path: Path) -> list[str]:
    names = [_short_name([name.strip()]) for name in written]
    for name in names:
        if not name or names.count(name) > 1:
            what = f"column `{name}` stands twice" if name else "a column has no name"
            raise StudyError(what, file=str(path), line=1, hint="name keys of the scenario")
    return names


def _point(names: Sequence[str], cells: Iterable[Any], path: Path, line: int) -> Point:
    named = zip(names, cells, strict=True)
    values = {name: value for name, value in named if value is not None}
    return Point(values, dict.fromkeys(values, Place(Source(str(path)), line=line)))


def product(points: Sequence[Point], varied: Sequence[Varied]) -> Iterator[Point]:
    """Each point with each combination of values; the last key varies fastest."""
    places = {each.key: each.place for each in varied}
    for point in points:
        for choice in itertools.product(*(each.values for each in varied)):
            chosen = dict(zip(places, choice, strict=True))
            yield Point({**point.values, **chosen}, {**point.places, **places})
