"""A network that a program drives: another simulator, or what answers the ends of flows."""

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
    """The end of a flow: when its receiver had all of it, or its sender the last ACK.

    Attributes:
        flow: Its number, as :meth:`Network.start` gave it.
        time_ps: When.
    """

    flow: int
    time_ps: int


class NetworkStalledError(RunError):
    """The flows of a network get nowhere, for good: by a deadlock of PFC, or without progress."""


class Network:
    """A network under way.

    A program starts flows in it, lets time pass, and answers their ends::

        network = incast.Network("cluster.toml")
        network.start(0, 5, "10MB")
        network.advance(halt="received")         # to the moment at which host 5 has all of it
        for flow, time_ps in network.received():
            network.start(5, 9, "10MB")          # at this moment

    It stands at a moment: all that happens before it has happened, and so have the ends of flows at
    it. The same flows in a scenario have the same results, to the fingerprint. One difference: a
    flow started at the instant another ends at its host is ordered after that end; the same flow in
    a scenario is ordered before it.

    It takes one call at a time: methods of algorithms and other threads that call it meanwhile get
    a :class:`RunError`.

    Args:
        scenario: A TOML file, a dict of the same shape, or a :class:`Scenario`. Flows that a
            program starts are traffic of the kind ``"live"``, which is added to a dict without
            traffic. A scenario may have several entries of it, with names, tenants and algorithms
            of their own, and other traffic, whose flows start by themselves. It may have no
            collectives or tasks, no attack, and no ``stop``.
        overrides: Settings that replace the scenario's; see :class:`Scenario`.

    Raises:
        ScenarioError: The scenario is not valid.
        RunError: It has what a live network cannot have, or cannot be built.
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
            at: When: ``"10us"``, or a number of ps; by default now. Rounded up to a whole ns where
                the network has a clock of nanoseconds.
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
        """Lets time pass until all has happened that happens before ``until``.

        Args:
            until: ``"10us"``, or a number of ps; by default, to the end of the last flow, where the
                network then stands.
            halt: Stop earlier, at the next moment at which a flow is received in full, or is
                completed (its sender has the last ACK), or either. Flows of the scenario's own
                traffic do not count.

        Returns:
            Whether a flow came to such an end; ``False`` at ``until``, or if nothing is left to do.

        Raises:
            ScenarioError: A text is no time.
            TypeError: ``until`` is of another kind.
            ValueError: ``halt`` is none of these.
            NetworkStalledError: Flows get nowhere, for good.
            ScenarioError: A file of the scenario changed before all of its flows were read.
            RunError: The network violated an invariant of the model.
            AlgorithmError: An algorithm in Python raised an exception.
            KeyboardInterrupt: By Ctrl-C. The network can go on from where it is; not so if the
                interrupt came in a method of an algorithm in Python, which then says so.
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
        """The flows of which the receiver has got all bytes, since this was asked last, in order of
        time.
        """
        return [FlowEnd(*end) for end in self._core.take_received()]

    def completed(self) -> list[FlowEnd]:
        """The flows of which the sender has got the last ACK, since this was asked last, in order
        of time. Flow completion times end there.
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
        """A network in the same state, packets in flight included, that goes its own way from here:
        to look ahead, or to try what happens if. Objects of algorithms in Python are copied by
        ``copy.deepcopy``, with what they share.

        Raises:
            ScenarioError: All switches draw their marks from one stream of random numbers, as under
                the profile ``hpcc-ns3`` with ECN; or a file of the scenario has changed, of which
                flows are still to be read.
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
        """What was measured so far, as of a run that ended here; :attr:`Results.partial` says
        whether flows are unfinished. The network itself can go on.

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
    """A quantity from its text or number.

    Raises:
        ScenarioError: The text has none.
        TypeError: It is neither, or out of all bounds.
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
        ScenarioError: It holds a half of a character.
    """
    with in_utf8():
        value.encode()
    return value


_NO_HOST = (1 << 32) - 1
"""A number that no host has."""
