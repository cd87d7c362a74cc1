"""The engine. Private: the package around it has everything that users need."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, final

__all__ = [
    "Ack",
    "Cnp",
    "FabricResults",
    "FabricScenario",
    "Flow",
    "Hop",
    "Loss",
    "Network",
    "Results",
    "Scenario",
    "SendLimit",
    "Sent",
    "Table",
    "Window",
    "__engine__",
    "__version__",
    "algorithms",
    "check_file",
    "checked_summary",
    "copy_results",
    "import_formats",
    "import_hpcc_ns3",
    "import_htsim",
    "import_htsim_uec",
    "import_msccl",
    "import_sizes",
    "in_algorithm",
    "is_fabric",
    "may_be_replaced",
    "other_run",
    "packet_kinds",
    "parameter_sets",
    "parts",
    "printable",
    "profiles",
    "quantity",
    "read_table",
    "recognise",
    "recover",
    "schema",
    "sizes_match",
    "suggestion",
    "three_cpo_watermarks",
    "topologies",
    "workloads",
]

__engine__: str
__version__: str

@final
class Flow:
    """A flow, as an algorithm learns of it when its QP is created."""

    def __deepcopy__(self, _memo: object, /) -> Flow: ...
    @property
    def number(self) -> int: ...
    @property
    def line_rate_bps(self) -> int: ...
    @property
    def base_rtt_ps(self) -> int: ...
    @property
    def bdp_bytes(self) -> int: ...
    @property
    def mtu_bytes(self) -> int: ...
    @property
    def wire_mtu_bytes(self) -> int: ...
    @property
    def size_bytes(self) -> int: ...
    @property
    def trims(self) -> bool: ...
    @property
    def seed(self) -> int: ...

@final
class Ack:
    """An ACK, with the state of the flow at its NIC."""

    def __deepcopy__(self, _memo: object, /) -> Ack: ...
    @property
    def newly_acked_bytes(self) -> int: ...
    @property
    def next_expected(self) -> int: ...
    @property
    def next_to_send(self) -> int: ...
    @property
    def flow_size_bytes(self) -> int: ...
    @property
    def marked(self) -> bool: ...
    @property
    def round_trip_ps(self) -> int | None: ...
    @property
    def switch_hops(self) -> int: ...
    @property
    def telemetry(self) -> list[Hop]: ...
    @property
    def receiver_flows(self) -> int | None: ...

@final
class Hop:
    """An INT record of a port: its queue and its link. Time and sent bytes are differences of two
    records of the same port.
    """

    def __deepcopy__(self, _memo: object, /) -> Hop: ...
    @property
    def queue_bytes(self) -> int: ...
    @property
    def link_rate_bps(self) -> int: ...
    def elapsed_ps(self, before: Hop) -> int:
        """Time from an earlier record of the port to this record, in ps."""

    def sent_bytes(self, before: Hop) -> int:
        """Bytes that the port sent from an earlier record to this record."""

@final
class Sent:
    """A data packet that begins to leave the NIC."""

    def __deepcopy__(self, _memo: object, /) -> Sent: ...
    @property
    def payload_bytes(self) -> int: ...
    @property
    def wire_bytes(self) -> int: ...
    @property
    def next_to_send(self) -> int: ...
    @property
    def retransmission(self) -> bool: ...

@final
class Loss:
    """Lost packets; the NIC retransmits them by itself."""

    def __deepcopy__(self, _memo: object, /) -> Loss: ...
    @property
    def kind(self) -> str: ...
    @property
    def resume_at(self) -> int: ...

@final
class Cnp:
    """A congestion notification packet."""

    def __deepcopy__(self, _memo: object, /) -> Cnp: ...
    @property
    def rate_bps(self) -> int | None: ...
    @property
    def congestion_point(self) -> int | None: ...

@final
class SendLimit:
    """The limit of a sender: a window, a rate, or both."""

    def __deepcopy__(self, _memo: object, /) -> SendLimit: ...
    def __new__(
        cls,
        *,
        window_bytes: float | None = None,
        rate_bps: float | None = None,
        pacing: str = "regular",
    ) -> SendLimit: ...

@final
class Window:
    """A window, or a part of one: ``"1 packet"``, ``"50KB"``, ``"50Mbps"`` or ``"bdp"``."""

    def __deepcopy__(self, _memo: object, /) -> Window: ...
    def __new__(cls, text: str) -> Window: ...
    def in_bytes(self, flow: Flow) -> float:
        """The window in bytes of payload, for this flow."""

    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

def in_algorithm() -> bool:
    """Whether this thread is in a method of an algorithm, which an exception would end."""

def packet_kinds() -> list[tuple[str, bool, bool]]:
    """The kinds of packets in traces, in their order.

    Each has a name, whether its packets go from the sender of a flow to its receiver, and whether
    they are PFC frames.
    """

def quantity(kind: str, text: str) -> int:
    """Reads a quantity from text, in ps, bit/s or bytes."""

@final
class Table:
    """A table of results, in Arrow's format."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...
    def __arrow_c_schema__(self) -> object: ...
    def __len__(self) -> int: ...
    @property
    def column_names(self) -> list[str]: ...
    def head(self, rows: int) -> Table: ...
    def numbers(self, name: str) -> tuple[str, bytes]:
        """NumPy's name of a column's type, and the column's values, with NaN for missing ones."""

    def categories(self, name: str) -> tuple[list[str], bytes]:
        """The distinct texts of a column, and each row's index into them as unsigned 32-bit."""

def read_table(path: str, memory: int | None = None) -> Table:
    """Reads a Parquet file, unless it would take more bytes than `memory`."""

@final
class Scenario:
    """A checked scenario."""

    @staticmethod
    def from_toml(
        text: str, name: str, folder: str, overrides: Sequence[tuple[str, str]]
    ) -> Scenario: ...
    @property
    def name(self) -> str: ...
    @property
    def identity(self) -> str: ...
    @property
    def single_threaded_because(self) -> str | None: ...
    def to_toml(self) -> str: ...
    def estimate(self) -> dict[str, Any]: ...
    def describe(self) -> dict[str, Any]: ...
    def random_events(self, seed: int, sequences: int) -> tuple[int | None, str | None]:
        """Feeds the algorithm random sequences of events of a flow. Gives the number of events, or,
        as the second value, what is wrong with the algorithm's answers.
        """

    def ports_of_flow(
        self, traffic: int, source: int, destination: int, source_port: int
    ) -> tuple[list[tuple[int, int]], list[tuple[int, int]]] | None:
        """The ports on the paths of a flow's data and of its ACKs, as numbers of nodes and ports.
        ``None`` if there is no such traffic entry, or no such pair of nodes.
        """

    def run(
        self,
        on_progress: Callable[[dict[str, Any]], None] | None = None,
        threads: int | None = None,
        rows_fit: bool = True,
        folder: str | None = None,
    ) -> Results: ...

@final
class Network:
    """A network that is being simulated step by step."""

    def __new__(cls, scenario: Scenario) -> Network: ...
    @property
    def now_ps(self) -> int: ...
    def start(
        self,
        source: int | str,
        destination: int | str,
        size: int,
        at: int | None,
        traffic: str | None,
    ) -> int: ...
    def advance(self, until: int | None, halts: list[bool]) -> tuple[str, str | None]:
        """Simulates until a time, or until a flow is received or acknowledged, as `halts` says."""

    def take_received(self) -> list[tuple[int, int]]: ...
    def take_completed(self) -> list[tuple[int, int]]: ...
    def flow_id(self, flow: int) -> int | None: ...
    def copy(self) -> Network: ...
    def results(self) -> Results: ...

@final
class Results:
    """The results of a run, in memory."""

    @property
    def flows(self) -> Table: ...
    @property
    def series(self) -> Table: ...
    @property
    def ports(self) -> Table: ...
    @property
    def packets(self) -> Table | None: ...
    @property
    def senders(self) -> Table | None: ...
    @property
    def company(self) -> Table | None: ...
    @property
    def pause_causes(self) -> Table | None: ...
    @property
    def round_trips(self) -> Table | None: ...
    @property
    def entropies(self) -> Table | None: ...
    @property
    def messages(self) -> Table | None: ...
    @property
    def collectives(self) -> Table | None: ...
    @property
    def ranks(self) -> Table | None: ...
    @property
    def critical_path(self) -> Table | None: ...
    @property
    def faults(self) -> Table | None: ...
    @property
    def scenario(self) -> str: ...
    def summary(self) -> dict[str, Any]: ...
    def write(self, folder: str, spare: str, on_lock: Callable[[str, float], None]) -> None: ...

def check_file(file: str) -> None:
    """Checks that a file of results is unchanged since it was written."""

def copy_results(source: str, target: str, on_lock: Callable[[str, float], None]) -> None:
    """Copies a results folder, whole or not at all. While another process has a lock, `on_lock` is
    called with the folder and the seconds waited; an exception from it ends the wait.
    """

def recover(folder: str, on_lock: Callable[[str, float], None]) -> list[Path]:
    """Restores a results folder from folders that killed runs left beside it, and names these."""

def other_run(folder: str, identity: str) -> tuple[str, bool] | None:
    """A description of another run's results in a folder, and whether it was interrupted."""

def sizes_match(folder: str) -> bool:
    """Whether all files of a results folder are there, with the lengths that were written."""

def checked_summary(file: str, text: str) -> str:
    """The text of `summary.json` with every key that this version writes."""

def may_be_replaced(path: str) -> bool:
    """Whether results may replace whatever is at a path."""

def schema() -> str: ...
def algorithms() -> list[tuple[str, str]]: ...
def topologies() -> list[tuple[str, str]]: ...
def workloads() -> list[tuple[str, str]]: ...
def parts() -> list[tuple[str, str]]: ...
def parameter_sets(algorithm: str) -> list[tuple[str, str]]: ...
def profiles() -> list[tuple[str, str]]: ...
def printable(text: str) -> str:
    """A part of a message, with what does not print escaped, without its middle if it is long."""

def suggestion(name: str, names: Sequence[str]) -> str | None:
    """The name that was probably meant, if one of these is near."""

def import_formats() -> list[tuple[str, str, str]]: ...
def import_hpcc_ns3(
    config: str,
    topology: str | None = None,
    flows: str | None = None,
    count: str | None = None,
    priorities: str | None = None,
    ignore: Sequence[str] = ...,
) -> tuple[str, list[tuple[int | None, str, str, str]]]: ...
def import_sizes(
    file: str, unit: str | None, size_unit: str | None
) -> tuple[str, float, str, int]: ...
def recognise(file: str) -> tuple[tuple[str, str, str], bool, str] | None: ...
def import_htsim(
    matrix: str, topology: str | None, start_unit: str | None, algorithm: str
) -> tuple[str, list[tuple[int | None, str, str, str]]]: ...
def import_htsim_uec(
    options: str, ignored: list[str]
) -> tuple[tuple[str, list[tuple[int | None, str, str, str]]], Path]: ...
def import_msccl(
    file: str, data: str | None, algorithm: str
) -> tuple[str, list[tuple[int | None, str, str, str]]]: ...
def is_fabric(text: str, name: str) -> bool:
    """Whether a scenario has ``[fabric]`` in place of ``[network]``."""

def three_cpo_watermarks(
    smallest: float, largest: float, probes: Sequence[tuple[float, float]]
) -> list[tuple[float, float]]:
    """Watermarks of 3CPO from the largest on, probe after probe, each with the watermark that
    matching amounts to; a probe has a latency in cycles, and tokens taken for remote operations.
    """

@final
class FabricScenario:
    """A fabric's scenario that has been checked."""

    @staticmethod
    def from_toml(text: str, name: str, overrides: Sequence[tuple[str, str]]) -> FabricScenario: ...
    @property
    def name(self) -> str: ...
    @property
    def identity(self) -> str: ...
    @property
    def single_threaded_because(self) -> str | None: ...
    def to_toml(self) -> str: ...
    def estimate(self) -> dict[str, Any]: ...
    def describe(self) -> dict[str, Any]: ...
    def run(
        self,
        on_progress: Callable[[dict[str, Any]], None] | None = None,
        threads: int | None = None,
    ) -> FabricResults: ...

@final
class FabricResults:
    """What a fabric's run gave, in memory."""

    @property
    def operations(self) -> Table: ...
    @property
    def controls(self) -> Table: ...
    @property
    def queues(self) -> Table: ...
    @property
    def scenario(self) -> str: ...
    def summary(self) -> dict[str, Any]: ...
    def write(self, folder: str, spare: str, on_lock: Callable[[str, float], None]) -> None: ...
