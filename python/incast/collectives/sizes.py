"""The sizes of data to measure, in the notation of nccl-tests' options."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal

from incast.collectives.operations import Operation
from incast.errors import ScenarioError

__all__ = ["byte_count", "measured_sizes", "sizes"]

_UNITS = {
    "": 1,
    "b": 1,
    **{
        prefix + ending: base**power
        for power, prefix in enumerate("kmgt", start=1)
        for ending, base in (("", 1024), ("ib", 1024), ("b", 1000))
    },
}
_SIZE = re.compile(r"\s*(\d{1,18}(?:\.\d{1,9})?)\s*([A-Za-z]{0,3})\s*")
_MAX_SIZES = 1000
_LARGEST = 1 << 50
"""A bound of sizes in bytes, larger than a run can send."""


def byte_count(size: str | int, key: str) -> int:
    """The number of bytes that a text says: ``8``; ``1K``, ``32M``, ``1G`` in powers of 1024, as
    nccl-tests reads them; ``1MB`` (1,000,000) and ``1MiB``, as scenarios do.

    Args:
        size: The text, or a number.
        key: The name of the argument, for the error.

    Raises:
        ScenarioError: The text is no size.
    """
    if isinstance(size, bool) or not isinstance(size, str | int):
        raise ScenarioError(f"`{size}` is not a size", key=key, hint=_EXAMPLE)
    found = _SIZE.fullmatch(str(size))
    unit = _UNITS.get(found[2].lower()) if found else None
    if found is None or unit is None:
        raise ScenarioError(f"`{size}` is not a size", key=key, hint=_EXAMPLE)
    count = Decimal(found[1]) * unit
    if count != int(count) or count == 0:
        what = f"`{size}` is not a whole number of bytes, one or more"
        raise ScenarioError(what, key=key, hint=_EXAMPLE)
    if count > _LARGEST:
        raise ScenarioError(f"`{size}` is too much", key=key, hint="give at most 1024T")
    return int(count)


_EXAMPLE = "write e.g. 8, 32M (powers of 1024), 1MB (powers of 1000)"


def sizes(
    min_bytes: str | int, max_bytes: str | int, factor: int, step: str | int | None
) -> list[int]:
    """Sizes from the smallest to the largest.

    Args:
        min_bytes: The smallest size.
        max_bytes: An upper bound of the sizes.
        factor: The ratio of each size to the previous one.
        step: The difference to the previous size, in bytes, in place of a factor.

    Raises:
        ScenarioError: There are no sizes, or too many.
    """
    first = byte_count(min_bytes, "min_bytes")
    last = byte_count(max_bytes, "max_bytes")
    more = None if step is None else byte_count(step, "step")
    if last < first:
        what = f"`{max_bytes}` is less than the smallest size, `{min_bytes}`"
        raise ScenarioError(what, key="max_bytes", hint=f"give at least {min_bytes}")
    if more is None and factor < 2:
        what = f"with a factor of {factor} no size is larger than the first"
        raise ScenarioError(what, key="factor", hint="give 2 or more, or a step in bytes")
    found = [first]
    while (size := found[-1] * factor if more is None else found[-1] + more) <= last:
        found.append(size)
        if len(found) > _MAX_SIZES:
            what = f"there are more than {_MAX_SIZES} sizes"
            raise ScenarioError(what, key="step", hint="give a larger step")
    return found


def measured_sizes(
    asked: Sequence[int], operation: Operation, word: int, ranks: int
) -> tuple[dict[int, int], list[int]]:
    """The measured sizes, each once, with its count of elements; and the requested sizes that are
    rounded down to nothing.

    Raises:
        ScenarioError: All sizes are rounded down to nothing.
    """
    rounded = {size: operation.rounded(size, word, ranks) for size in asked}
    measured = {size: count for size, count in rounded.values() if size}
    if not measured:
        unit = ranks * max(word, 16) if operation.buffers == "parts" else word
        what = f"{max(asked)} B round to nothing, for {operation.name} of {ranks} ranks"
        raise ScenarioError(what, key="max_bytes", hint=f"give at least {unit}")
    return measured, [size for size, (bytes_, _) in rounded.items() if not bytes_]
