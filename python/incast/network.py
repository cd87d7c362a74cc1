"""A network that a program drives, such as another simulator."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

from incast import _core
from incast.algorithm import Bytes, Time
from incast.errors import RunError, ScenarioError
from incast.keywords import scenario_for
from incast.results import Results, from_core
from incast.scenario import Scenario, in_utf8

__all__ = ["FlowEnd", "Network", "NetworkStalledError"]


class FlowEnd(NamedTuple):
    """The end of a flow: its receiver had all bytes, or its sender had the last ACK.

    Attributes:
        flow: Its number, as :meth:`Network.start` gave it.
        time_ps: The time of the end.
    """

    flow: int
    time_ps: int


class NetworkStalledError(RunError):
    """The flows of a network have stalled for good: in a deadlock of PFC, or without progress."""


class Network:
    """A network under way.

    A program starts flows in it, lets time pass, and answers their ends::

        network = incast.Network("cluster.toml")
        network.start(0, 5, "10MB")
        network.advance(halt="received")         # to the moment at which host 5 has all of it
        for flow, time_ps in network.received():
            network.start(5, 9, "10MB")          # at this moment

    The network stands at ``now_ps``. All events before that time have been simulated, and so have
    ends of flows at that time. The same flows in a scenario have the same results, to the
    fingerprint, with one exception. A flow that starts at the instant another ends at its host is
    ordered after that end here, and before it in a scenario.

    A network takes one call at a time: a call during another one, from a method of an algorithm or
    another thread, raises :class:`RunError`.

    Args:
        scenario: A TOML file, a dict of the same shape, or a :class:`Scenario`. Flows that a
            program starts are traffic of the kind ``"live"``, which is added to a dict without
            traffic. A scenario may have several entries of it, with names, tenants and algorithms
            of their own, and other traffic, whose flows start by themselves. It may have no
            collectives or tasks, no attack, and no ``stop``.
        overrides: Settings that replace the scenario's; see :class:`Scenario`.

    Raises:
        ScenarioError: The scenario is not valid.
        RunError: The scenario has what a live network cannot have, or the network cannot be built.
    """

    def __init__(
        self, scenario: str | Path | Mapping[str, Any] | Scenario, **overrides: Any
    ) -> None:
        if isinstance(scenario, Mapping) and "traffic" not in {*scenario, *overrides}:
            scenario = {**scenario, "traffic": [{"kind": "live"}]}
        self.scenario: Scenario = scenario_for(Network, scenario, overrides)
        core = self.scenario._core
        if not isinstance(core, _core.Scenario):
            what = "a memory fabric cannot be driven by a program"
            raise ScenarioError(what, key="fabric", hint="give the scenario of a network")
        self._core = _core.Network(core)

    @property
    def now_ps(self) -> int:
        """The moment at which the network stands, in ps."""
        return self._core.now_ps

    def start(
        self,
        source: int | str,
        destination: int | str,
        size: int | str,
        *,
        at: int | str | None = None,
        traffic: str | None = None,
    ) -> int:
        """Starts a flow, and gives its number: flows are counted from 0.

        Args:
            source: The sending host, by its number or its name.
            destination: The receiving host.
            size: Payload: ``"10MB"``, or a number of bytes.
            at: The start time: ``"10us"``, or a number of ps; by default now. Rounded up to a whole
                ns if the network's clock counts nanoseconds.
            traffic: The name of the flow's entry under ``[[traffic]]``, if several are live.

        Raises:
            ScenarioError: There is no such host or traffic, the moment has passed, or a text is no
                size or time.
            TypeError: An argument is of another kind.
        """
        at = None if at is None else _time(at)
        if isinstance(traffic, str):
            traffic = _text(traffic)
        elif traffic is not None:
            raise TypeError(f"{_TRAFFIC}, not {traffic!r}")
        hosts = (_host(source), _host(destination))
        return self._core.start(*hosts, _quantity(Bytes, size, _SIZE), at, traffic)

    def advance(
        self,
        until: int | str | None = None,
        *,
        halt: Literal["received", "completed", "any"] | None = None,
    ) -> bool:
        """Advances time to ``until``: simulates all events before it.

        Args:
            until: ``"10us"``, or a number of ps; by default, the end of the last flow.
            halt: Stop earlier, at the next moment at which a flow is received in full, or is
                completed (its sender has the last ACK), or either. Flows of the scenario's own
                traffic do not count.

        Returns:
            Whether ``halt`` stopped the network; ``False`` at ``until``, or if nothing is left to
                do.

        Raises:
            ScenarioError: A text is no time.
            TypeError: ``until`` is of another kind.
            ValueError: ``halt`` is none of these.
            NetworkStalledError: The flows have stalled for good.
            ScenarioError: A file of the scenario changed before all of its flows were read.
            RunError: The network violated an invariant of the model.
            AlgorithmError: An algorithm in Python raised an exception.
            KeyboardInterrupt: Ctrl-C was pressed. The network can go on, unless the interrupt came
                in a method of an algorithm in Python; the message then says so.
        """
        halts = [halt in ("received", "any"), halt in ("completed", "any")]
        if halt is not None and not any(halts):
            what = f"`{halt}` is nothing to halt at"
            raise ValueError(f'{what}; write "received", "completed" or "any"')
        until = None if until is None else _time(until)
        stand, stall = self._core.advance(until, halts)
        if stall is not None:
            raise NetworkStalledError(stall)
        return stand == "flow-ends"

    def received(self) -> list[FlowEnd]:
        """The flows whose receivers have got all bytes since the last call, in order of time."""
        return [FlowEnd(*end) for end in self._core.take_received()]

    def completed(self) -> list[FlowEnd]:
        """The flows whose senders have got the last ACK since the last call, in order of time. Flow
        completion times end there.
        """
        return [FlowEnd(*end) for end in self._core.take_completed()]

    def flow_id(self, flow: int) -> int | None:
        """The ``flow_id`` of a flow that has started. Results and messages number all flows, those
        of other traffic too, in the order of their starts.

        Raises:
            ScenarioError: No flow can have this number.
        """
        number = operator.index(flow)
        if not 0 <= number < 1 << 63:
            what = f"no flow has the number {number}"
            raise ScenarioError(what, hint="give one that Network.start has given")
        return self._core.flow_id(number)

    def copy(self) -> Network:
        """An independent network in the same state, packets in flight included: to look ahead, or
        to try alternatives. Objects of algorithms in Python are copied by ``copy.deepcopy``, with
        the objects they share.

        Raises:
            ScenarioError: All switches draw their marks from one stream of random numbers, as under
                the profile ``hpcc-ns3`` with ECN; or a file has changed from which flows are still
                to be read.
            Exception: What ``copy.deepcopy`` raises.
        """
        copy = object.__new__(type(self))
        copy.__dict__.update(self.__dict__)
        copy._core = self._core.copy()
        return copy

    __copy__ = copy

    def __deepcopy__(self, _memo: dict[int, object]) -> Network:
        return self.copy()

    def results(self) -> Results:
        """Results up to now, as of a run that ended here; :attr:`Results.partial` says whether
        flows are unfinished. The network itself can go on.

        Raises:
            ScenarioError: A file of the scenario changed before all of its flows were read.
            RunError: The network violated an invariant of the model.
        """
        return from_core(self._core.results())

    def __repr__(self) -> str:
        return f"<incast.Network {self.scenario.name!r} at {self.now_ps} ps>"


_SIZE = 'a size is a text, such as "10MB", or a whole number of bytes'
_TRAFFIC = 'traffic is the name of an entry under [[traffic]], such as "live", or None'
_TIME = 'a time is a text, such as "10us", or a whole number of ps'


def _time(value: object) -> int:
    return _quantity(Time, value, _TIME)


def _quantity(kind: type[Time | Bytes], value: object, right: str) -> int:
    """A quantity, in its base unit, from a text or a number.

    Raises:
        ScenarioError: The text is no such quantity.
        TypeError: The value is neither text nor a number, or is out of range.
    """
    if isinstance(value, str):
        try:
            return int(kind(_text(value)))
        except ValueError as error:
            raise ScenarioError(str(error)) from None
    if isinstance(value, bool):
        raise TypeError(f"{right}, not {value}")
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(f"{right}, not {value!r}") from None
    if not 0 <= number < 1 << 63:
        raise TypeError(f"{right}, not {number}")
    return number


def _host(value: object) -> int | str:
    right = "a host is a number, counted from 0, or a name"
    if isinstance(value, str):
        return _text(value)
    return min(_quantity(Bytes, value, right), _NO_HOST)


def _text(value: str) -> str:
    """A text that the engine can take.

    Raises:
        ScenarioError: The text cannot be encoded in UTF-8.
    """
    with in_utf8():
        value.encode()
    return value


_NO_HOST = (1 << 32) - 1
"""A number that no host has."""
