"""The operations of nccl-tests, and the formulas for their bandwidth (its doc/PERFORMANCE.md)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from incast.errors import ScenarioError
from incast.names import hint

__all__ = ["DATATYPES", "OPERATIONS", "Operation", "operation"]

DATATYPES = {
    "int8": 1,
    "uint8": 1,
    "half": 2,
    "bfloat16": 2,
    "int32": 4,
    "uint32": 4,
    "float": 4,
    "int64": 8,
    "uint64": 8,
    "double": 8,
}
"""Bytes of an element, by nccl-tests' name of the data type."""

_ALIGNMENT = 16
"""Bytes to whose multiples nccl-tests rounds the part of each rank down."""


@dataclass(frozen=True)
class Operation:
    """A collective operation."""

    name: str
    """The name in scenarios."""
    default: str
    """The algorithm used if none is named."""
    buffers: Literal["whole", "parts"] = "whole"
    """Whether each rank sends and receives all of the data, or a separate part for each rank."""
    reduction: Literal["sum", "none"] = "none"
    rooted: bool = False

    def bus_factor(self, ranks: int) -> float:
        """The ratio of bus bandwidth to algorithm bandwidth."""
        if self.name == "all-reduce":
            return 2 * (ranks - 1) / ranks
        return (ranks - 1) / ranks if self.buffers == "parts" else 1.0

    def rounded(self, size: int, word: int, ranks: int) -> tuple[int, int]:
        """The size in bytes that nccl-tests measures for a requested size, and its count of
        elements. If the data has a part for each rank, the count is of one part, which is a
        multiple of 16 bytes. Both may be 0.

        Args:
            size: The requested size, in bytes.
            word: The number of bytes of an element.
            ranks: The number of ranks.
        """
        count = size // word
        if self.buffers == "whole":
            return count * word, count
        part = count // ranks // (_ALIGNMENT // word) * (_ALIGNMENT // word)
        return part * ranks * word, part


OPERATIONS = {
    each.name: each
    for each in (
        Operation("all-reduce", "ring", reduction="sum"),
        Operation("reduce-scatter", "ring", "parts", "sum"),
        Operation("all-gather", "ring", "parts"),
        Operation("broadcast", "ring", rooted=True),
        Operation("reduce", "ring", reduction="sum", rooted=True),
        Operation("all-to-all", "direct", "parts"),
        Operation("send-receive", "direct", reduction="sum"),
    )
}
"""Operations by name."""

_SHORT = {"sendrecv": "send-receive"}


def operation(name: str) -> Operation:
    """The operation with this name, or with this name of nccl-tests' program: ``all_reduce_perf``,
    ``alltoall``, ``sendrecv``.

    Raises:
        ScenarioError: There is no such operation.
    """
    plain = name.strip().lower().removesuffix("_perf").replace("_", "").replace("-", "")
    names = {known.replace("-", ""): known for known in OPERATIONS} | _SHORT
    if plain not in names:
        what = f"unknown operation `{name}`"
        raise ScenarioError(what, key="operation", hint=hint(name, [*OPERATIONS]))
    return OPERATIONS[names[plain]]
