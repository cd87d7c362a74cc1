"""Algorithms of congestion control written in Python: one class, in a file of its own.

A scenario, ``--cc`` and ``cc=`` take the file in place of a name: ``mine.py``, or ``mine.py:Mine``
if it has several classes. Times are in ps, rates in bit/s, sizes in bytes.
"""

from __future__ import annotations

import dataclasses
import importlib.util
import inspect
import json
import math
import sys
import threading
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar, Literal, get_type_hints

from incast import _core
from incast._core import Ack, Cnp, Flow, Hop, Loss, SendLimit, Sent, Window
from incast.errors import CodeError, ScenarioError, exception_text
from incast.files import check_readable, neighbours
from incast.registry import algorithms

__all__ = [
    "Ack",
    "Algorithm",
    "Bytes",
    "Cnp",
    "Flow",
    "Hop",
    "Loss",
    "Needs",
    "Rate",
    "SendLimit",
    "Sent",
    "Time",
    "Window",
    "installed",
    "without_code",
]


class Time(int):
    """A time in ps, from text with its unit: ``Time("10us")``."""

    def __new__(cls, value: str | int) -> Time:  # noqa: D102
        return super().__new__(cls, _quantity("time", value))


class Rate(int):
    """A rate in bit/s, from text with its unit: ``Rate("50Mbps")``."""

    def __new__(cls, value: str | int) -> Rate:  # noqa: D102
        return super().__new__(cls, _quantity("rate", value))


class Bytes(int):
    """A size in bytes, from text with its unit: ``Bytes("50KB")``."""

    def __new__(cls, value: str | int) -> Bytes:  # noqa: D102
        return super().__new__(cls, _quantity("bytes", value))


def _quantity(kind: str, value: str | int) -> int:
    return _core.quantity(kind, value) if isinstance(value, str) else value


_AS_DCTCP = {"at": "dequeue", "step": "300KB", "reference_rate": "100Gbps"}
"""Default thresholds of ECN marking, those of DCTCP. An algorithm or scenario may set others."""


@dataclasses.dataclass(frozen=True)
class Needs:
    """The signals that an algorithm needs from the network, checked before a run.

    Attributes:
        ecn: Switches mark, receivers echo the mark in ACKs. ``True`` marks as for DCTCP, above 3 KB
            per Gb/s of the link; other thresholds are written as in ``[network.ecn]``:
            ``{"step": "65 packets"}``, one rule for all ports. A scenario may have its own.
        int: INT, collected by data packets (``"data"``) or by ACKs on their way back (``"acks"``).
        timestamps: Data packets carry the time at which they were sent: ACKs have a round trip.
        cnp: Receivers send CNPs, at most one per flow in this time, such as ``"50us"``.
        per_packet_ack: One ACK for every data packet.
        reschedules_pending: A change of the rate also moves the send time of the packet that is
            already paced. Otherwise it applies from the next packet on.
        serves: Which flows one controller can serve where NICs let several share one: a single
            flow, flows along one path, or any of one source.
    """

    ecn: bool | Mapping[str, Any] = False
    int: Literal["off", "data", "acks"] = "off"
    timestamps: bool = False
    cnp: str | None = None
    per_packet_ack: bool = False
    reschedules_pending: bool = False
    serves: Literal["one-flow", "one-path", "any-flows"] = "one-flow"

    def _json(self) -> str:
        said = dataclasses.asdict(self)
        said["ecn"] = _AS_DCTCP if self.ecn is True else (self.ecn or None)
        return json.dumps(said)


class Algorithm:
    """The sender's side of congestion control; each flow has an object of its own.

    :meth:`on_ack` and :meth:`limit` are required. After every call the NIC asks for the limit anew.
    Keep all state in ``self``: with state elsewhere, runs may not be reproducible.

    Attributes:
        name: The algorithm's name in results; by default, the file's name.
        needs: The signals it needs from the network, beside ACKs and losses.
        Parameters: A dataclass with its parameters, each with a default, of type :class:`Time`,
            :class:`Rate`, :class:`Bytes`, :class:`Window`, ``float``, ``int``, ``bool`` or ``str``.
            A scenario sets them in ``[cc]``, with units. ``__post_init__`` may refuse values by a
            ``ValueError``.
        flow: The flow.
        parameters: The parameters.
    """

    name: ClassVar[str | None] = None
    needs: ClassVar[Needs] = Needs()

    @dataclasses.dataclass
    class Parameters:
        """No parameters."""

    def __init__(self, flow: Flow, parameters: Any) -> None:
        self.flow = flow
        self.parameters = parameters

    def on_ack(self, now_ps: int, ack: Ack) -> None:
        """An ACK arrived, or a NACK, which has the fields of an ACK, too: see :meth:`on_loss`."""
        raise NotImplementedError

    def limit(self) -> SendLimit:
        """The window, the rate, or both, that apply now. Without a rate the flow sends at line
        rate.
        """
        raise NotImplementedError

    def on_sent(self, now_ps: int, sent: Sent) -> None:
        """A data packet begins to leave the NIC. Called only if a class has this method."""

    def on_loss(self, now_ps: int, loss: Loss) -> None:
        """Packets were lost: a NACK came, or the retransmission timer expired."""

    def on_cnp(self, now_ps: int, cnp: Cnp) -> None:
        """A congestion notification packet arrived."""

    def on_path_change(self, now_ps: int) -> None:
        """The next ACK took another path than the ACK before it, or was overtaken. Their INT must
        not be compared. Only links that fail cause this.
        """

    def on_timer(self, now_ps: int) -> None:
        """The time that :meth:`next_timer` named has come."""

    def next_timer(self) -> float | None:
        """When to call :meth:`on_timer` next, in ps; ``None`` if never. Asked after every call, if
        a class has this method.
        """
        return None

    def probe(self) -> dict[str, float]:
        """Names and values worth plotting, for ``measure.flows.probes``."""
        return {}


_METHODS = (
    "on_ack",
    "limit",
    "on_sent",
    "on_loss",
    "on_cnp",
    "on_path_change",
    "on_timer",
    "next_timer",
    "probe",
)
_OPTIONAL = {
    "on_sent": "on_sent",
    "on_loss": "on_loss",
    "on_cnp": "on_cnp",
    "on_path_change": "on_path_change",
    "timer": "next_timer",
    "probe": "probe",
}
"""Methods that are only called if a class has them, by the engine's names for them."""

_KINDS: dict[Any, str] = {
    Time: "time",
    Rate: "rate",
    Bytes: "bytes",
    Window: "window",
    float: "float",
    int: "int",
    bool: "bool",
    str: "str",
}
_UNITS = {"time": "ps", "rate": "bps", "bytes": "B"}
_PARAMETERS_TAKE = "Parameters takes each parameter by its name, and refuses values by a ValueError"
_RESERVED = ("algorithm", "file", "class", "parameters")
_LARGEST_FILE = 1 << 20
_LOADING = threading.RLock()


@dataclasses.dataclass
class _Loaded:
    """An algorithm's class and its description, in the form that the engine takes."""

    path: Path
    name: str
    cls: type[Algorithm]
    fields: list[tuple[str, str, Any]]
    """Name, kind and default of each parameter."""
    needs: str
    methods: str

    def parameters(self, values: dict[str, Any]) -> Any:
        """An object of ``Parameters`` with these values.

        Raises:
            ValueError: The class refuses a value, and says why.
            ScenarioError: The class raised another exception, or one without a message.
        """
        hints = get_type_hints(self.cls.Parameters)
        quantities = (Time, Rate, Bytes)
        known = {
            name: hints[name](value) if hints[name] in quantities else value
            for name, value in values.items()
        }
        try:
            return self.cls.Parameters(**known)
        except (Exception, SystemExit) as error:
            if isinstance(error, ValueError) and str(error):
                raise
            raise _raised(self.path, error, _PARAMETERS_TAKE) from error


@contextmanager
def without_code() -> Iterator[None]:
    """Forbids code of scenarios inside the block, in all threads. Checking a scenario whose
    algorithm is in a Python file raises :class:`~incast.CodeError`. Algorithms of installed
    packages still run.
    """
    with _LOADING:
        _refusals.append(None)
    try:
        yield
    finally:
        with _LOADING:
            _refusals.pop()


_refusals: list[None] = []
"""One entry for each :func:`without_code` block under way, in any thread."""


def _loaded(file: str | Path, class_name: str | None) -> _Loaded:
    """The class of a file, for the engine.

    Raises:
        ScenarioError: The file cannot be loaded, or has no such class.
    """
    path = Path(file)
    with _LOADING:
        found = _chosen(_classes(_module(path), path), class_name, path)
        return _Loaded(
            path=path,
            name=found.name or path.stem,
            cls=found,
            fields=_fields(found, path),
            needs=found.needs._json(),
            methods=json.dumps(
                {
                    known: getattr(found, method) is not getattr(Algorithm, method)
                    for known, method in _OPTIONAL.items()
                }
            ),
        )


def class_label(named: str, folder: Path | None = None) -> str:
    """The label of an algorithm in a comparison. For a Python file, such as ``mine.py`` or
    ``mine.py:Mine``, it is the name of the class; otherwise it is the name as given.

    Args:
        named: The algorithm, as ``--cc`` takes it.
        folder: The folder at which a relative path begins; by default, the current one.
    """
    file, colon, name = named.partition(".py:")
    if not colon and not named.endswith(".py"):
        return named
    path = Path(f"{file}.py" if colon else named)
    try:
        return _loaded((folder or Path()) / path, name or None).cls.__name__
    except ScenarioError:
        # Checking the scenario will report the mistake.
        return named


def _module(path: Path) -> ModuleType:
    """Runs a file anew, and gives its module."""
    if _refusals:
        what = "the algorithm is Python code, which is not run here"
        hint = f"read {path.name} first; without --no-code, `incast run` runs it"
        raise CodeError(what, file=str(path), hint=hint)
    try:
        check_readable(path, ScenarioError, largest=_LARGEST_FILE, of="an algorithm")
        source = path.read_bytes()
    except FileNotFoundError:
        raise _wrong(path, "no such file", neighbours(path, "*.py")) from None
    except OSError as error:
        raise _wrong(path, error.strerror or str(error), None) from None
    # Dataclasses look up their module by its name.
    name = f"incast_algorithm_{path.stem}"
    module = ModuleType(name)
    module.__file__ = str(path)
    before = sys.modules.get(name)
    sys.modules[name] = module
    try:
        exec(compile(source, str(path), "exec", dont_inherit=True), module.__dict__)
    except (Exception, SystemExit) as error:
        if before is None:
            del sys.modules[name]
        else:
            sys.modules[name] = before
        raise _raised(path, error) from error
    return module


def _raised(path: Path, error: Exception | SystemExit, hint: str | None = None) -> ScenarioError:
    """The error for an exception that a file raised when it was run, with the line in that file."""
    if isinstance(error, SyntaxError):
        what, line = f"SyntaxError: {error.msg}", error.lineno
    else:
        what = exception_text(error)
        frames = traceback.extract_tb(error.__traceback__)
        lines = [frame.lineno for frame in frames if frame.filename == str(path)]
        line = lines[-1] if lines else None
    return ScenarioError(what, file=str(path), line=line, hint=hint)


def _classes(module: ModuleType, path: Path) -> dict[str, type[Algorithm]]:
    """The algorithms that a file defines; private ones are not for scenarios."""
    found = {
        name: value
        for name, value in vars(module).items()
        if isinstance(value, type)
        and issubclass(value, Algorithm)
        and value.__module__ == module.__name__
        and not name.startswith("_")
    }
    if not found:
        hint = "write e.g. class Mine(Algorithm), with on_ack and limit"
        raise _wrong(path, "there is no algorithm in this file", hint)
    return found


def _chosen(
    found: dict[str, type[Algorithm]], class_name: str | None, path: Path
) -> type[Algorithm]:
    names = ", ".join(found)
    if class_name is None:
        if len(found) > 1:
            what = f"there are several algorithms in this file: {names}"
            raise _wrong(path, what, f"name one: {path.name}:{next(iter(found))}")
        (chosen,) = found.values()
    elif class_name in found:
        chosen = found[class_name]
        if len(found) > 1 and chosen.name is None:
            chosen.name = f"{path.stem}-{class_name}"
    else:
        raise _wrong(path, f"there is no algorithm `{class_name}`", f"available: {names}")
    for required in ("on_ack", "limit"):
        if getattr(chosen, required) is getattr(Algorithm, required):
            raise _wrong(path, f"{chosen.__name__} has no method `{required}`", "add it")
    for name in _METHODS:
        method = getattr(chosen, name)
        if inspect.iscoroutinefunction(method) or inspect.isgeneratorfunction(method):
            what = (
                f"`{name}` of {chosen.__name__} is a coroutine, or has a `yield`: it would not run"
            )
            raise _wrong(path, what, "write a plain method")
    _check_hooks(chosen, path)
    name = chosen.name if chosen.name is not None else path.stem
    if not isinstance(name, str) or not name:
        raise _wrong(path, f"name = {name!r} is no name", 'write e.g. name = "mine"')
    if name in algorithms():
        what = f"`{name}` is the name of an algorithm that comes with incast"
        raise _wrong(path, what, "rename the file, or set `name` in the class")
    if not isinstance(chosen.needs, Needs):
        raise _wrong(path, "`needs` is no Needs", "write needs = Needs(ecn=True), or the like")
    return chosen


def _check_hooks(chosen: type[Algorithm], path: Path) -> None:
    """Refuses methods that would never be called: `on_los` is meant to be `on_loss`."""
    own = chosen.__mro__[: chosen.__mro__.index(Algorithm)]
    for name in (name for cls in own for name, value in vars(cls).items() if callable(value)):
        if name.startswith("_") or hasattr(Algorithm, name):
            continue
        near = _core.suggestion(name, _METHODS)
        # Names such as `next` are the beginning of a hook's name, but not a misspelt hook.
        if near is not None and (name.startswith("on_") or not near.startswith(name)):
            what = f"`{name}` of {chosen.__name__} would never be called; did you mean `{near}`?"
            raise _wrong(path, what, f"a method of your own may be called `_{name}`")


def _fields(cls: type[Algorithm], path: Path) -> list[tuple[str, str, Any]]:
    parameters = cls.Parameters
    if not dataclasses.is_dataclass(parameters):
        raise _wrong(path, f"{cls.__name__}.Parameters is no dataclass", "add @dataclass")
    try:
        hints = get_type_hints(parameters)
    except Exception as error:
        raise _raised(path, error) from error
    described = []
    for field in dataclasses.fields(parameters):
        kind = _KINDS.get(hints[field.name])
        if kind is None:
            names = ", ".join(known.__name__ for known in _KINDS)
            what = f"parameter `{field.name}` is of type {hints[field.name]}"
            raise _wrong(path, what, f"available: {names}")
        if field.name in _RESERVED:
            raise _wrong(path, f"no parameter can be called `{field.name}`", "rename it")
        if field.default is dataclasses.MISSING:
            raise _wrong(path, f"parameter `{field.name}` has no default", "give it one")
        if kind == "window" and not isinstance(field.default, Window):
            hint = 'write e.g. Window("1 packet")'
            raise _wrong(path, f"default of `{field.name}` is no Window", hint)
        try:
            default = _default(field.default, kind, hints[field.name])
        except (TypeError, ValueError) as error:
            raise _wrong(path, f"default of `{field.name}`: {error}", None) from None
        described.append((field.name, kind, default))
    return described


def _default(value: Any, kind: str, of_kind: type) -> Any:
    """A parameter's default, converted to the parameter's kind.

    Raises:
        TypeError: The default is of another kind.
        ValueError: No scenario could set this value.
    """
    if kind == "window":
        return value
    try:
        default = of_kind(value)
    except OverflowError as error:
        raise ValueError(f"{error}; write a finite number, at most 1.8e308") from None
    if kind in _UNITS:
        return _core.quantity(kind, f"{int(default)}{_UNITS[kind]}")
    if kind == "int" and not -1 << 63 <= default < 1 << 63:
        raise ValueError(f"`{default}` is too large; a whole number has at most 63 bits")
    if kind == "float" and not math.isfinite(default):
        raise ValueError(f"`{default}` is not finite; write a finite number, at most 1.8e308")
    return default


def installed(name: str) -> str | None:
    """The file and the class of an algorithm that an installed package provides. The package names
    it by an entry point of the group ``incast.algorithms``: ``mine = "package.module:Mine"``.
    """
    from importlib.metadata import entry_points

    for point in entry_points(group="incast.algorithms", name=name):
        found = importlib.util.find_spec(point.module)
        if found is not None and found.origin is not None:
            return f"{found.origin}:{point.attr}" if point.attr else found.origin
    return None


def _wrong(path: Path, what: str, hint: str | None) -> ScenarioError:
    return ScenarioError(what, file=str(path), hint=hint)
