"""Scenarios: inputs of the simulator. The engine has the schema and checks them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from incast import _core, toml
from incast.balancing import balanced
from incast.errors import ScenarioError
from incast.files import check_readable, checked_path, neighbours

if TYPE_CHECKING:
    from incast.measure.layers import Layers

__all__ = [
    "LARGEST_FILE",
    "Scenario",
    "ScenarioText",
    "changed_keys",
    "in_utf8",
    "is_in_a_file",
    "read",
    "schema",
    "segments",
    "shipped",
    "traffic_kinds",
]


class Scenario:
    """A scenario that has been checked and can be run: of a network, or, with ``[fabric]`` in place
    of ``[network]``, of a memory fabric. Two scenarios are equal if all their settings are equal,
    with defaults filled in.

    Args:
        source: A TOML file, a text read from one, a dict of the same shape, or a scenario to
            change.
        settings: Dotted keys, and TOML texts that replace their values, as ``--set`` takes them:
            ``[("traffic.0.load", "0.7")]``.
        folder: Where relative paths begin; by default, the file's folder, or the current one.
        overrides: As ``settings``, with Python values. Nested dicts are merged into the source:
            ``network={"ack_every": 2}``, ``**{"traffic.0.load": 0.7}``. ``seed``, ``name`` and
            ``stop`` are keys of ``run``. ``cc="hpcc"``, or ``cc.algorithm``, names another
            algorithm, and drops the old one's parameters. ``cc="swift:fairness"`` also names its
            set of parameters. Neither changes traffic entries that have a ``cc`` of their own.
            ``attack="staggered"`` names another attack by the same attackers. ``balance="reps"``
            names another load balancing, which keeps the scenario's number of entropies. In a
            fabric, ``cc`` or ``control.scheme`` names a scheme of injection control;
            ``cc="window:3"`` also sets its window.

    Raises:
        ScenarioError: The scenario is not valid.
    """

    def __init__(
        self,
        /,
        source: str | Path | Mapping[str, Any] | Scenario | ScenarioText,
        *,
        settings: Sequence[tuple[str, str]] = (),
        folder: Path | None = None,
        **overrides: Any,
    ) -> None:
        with in_utf8():
            written = _written(source)
            if folder is not None:
                written = written.beside(folder)
            if isinstance(overrides.get("cc"), str):
                _check_named_once(overrides, settings, written)
            _check_seeded_once(overrides, settings)
            changes = _without_leftovers([*_changes(overrides, written), *settings], written)
            self._written: ScenarioText = written._replace(settings=[*written.settings, *changes])
            self._core = _checked(self._written)

    @property
    def name(self) -> str:
        """Name of the scenario, in listings and folder names."""
        return self._core.name

    @property
    def algorithm(self) -> str:
        """Name of the congestion control algorithm, or of a fabric's scheme; several names are
        joined by commas.
        """
        return str(self.describe()["algorithm"])

    @property
    def identity(self) -> str:
        """A hash of the checked scenario, its seed and the engine: same identity, same results."""
        return self._core.identity

    @property
    def folder(self) -> Path:
        """The folder at which the scenario's relative paths begin."""
        return self._written.folder

    @property
    def kind(self) -> Literal["network", "fabric"]:
        """Whether the scenario is of a network or of a memory fabric."""
        return "fabric" if isinstance(self._core, _core.FabricScenario) else "network"

    @property
    def single_threaded_because(self) -> str | None:
        """Why the scenario runs on one thread; ``None`` if it can use several."""
        return self._core.single_threaded_because

    @property
    def is_in_python(self) -> bool:
        """Whether one of its algorithms is in a Python file."""
        text = self.to_toml()
        if "external" not in text:
            return False
        written = _parsed(text)
        sections = [written, *written.get("traffic", [])]
        return any(each.get("cc", {}).get("algorithm") == "external" for each in sections)

    def to_toml(self) -> str:
        """The scenario with every default filled in."""
        return self._core.to_toml()

    def to_dict(self) -> dict[str, Any]:
        """The scenario with every default filled in, as a dict."""
        return _parsed(self.to_toml())

    def describe(self) -> dict[str, Any]:
        """Facts that follow from the scenario: ``hosts``, ``switches``, ``links``, ``base_rtt_ps``,
        ``bdp_bytes``, ``expected_flows``, and others; of a fabric, endpoints, switches, groups,
        operations.
        """
        return self._core.describe()

    def layers(self) -> Layers:
        """The nodes of the network in layers, by their distance from the nearest host: ``layers``
        has the ``names`` of each layer's nodes, ``bundles`` the ``links`` between layers.

        Raises:
            ScenarioError: The scenario is of a memory fabric.
            RunError: The network cannot be built.
        """
        from incast.measure.layers import layers
        from incast.table import Table

        network, facts = self.to_dict().get("network"), self.describe()
        if network is None:
            raise ScenarioError("a memory fabric has no layers", key="fabric")
        kept = {key: network[key] for key in _SHAPE if key in network}
        shape = {"network": kept, "cc": {"algorithm": "none"}, "traffic": [{"kind": "live"}]}
        core = Scenario(shape, folder=self.folder)._core
        assert isinstance(core, _core.Scenario)
        return layers(Table(_core.Network(core).results().ports), facts["nics"] or facts["hosts"])

    def random_events(self, seed: int, sequences: int) -> tuple[int | None, str | None]:
        """Feeds the algorithm random sequences of events of a flow. Gives the number of events, or,
        as the second value, what is wrong with the algorithm's answers.

        Args:
            seed: The seed of the random sequences.
            sequences: The number of sequences.
        """
        assert isinstance(self._core, _core.Scenario)
        return self._core.random_events(seed, sequences)

    def estimate(self) -> dict[str, Any]:
        """A rough estimate of a run: ``packet_hops``, ``memory_bytes`` and its ``memory_parts``;
        whether the scenario ``leaves_rows_open`` (rows of flows, which would take
        ``rows_if_loaded_bytes``). For the series of ``queues`` and of flows (``flow_series``), the
        ``rows`` and the interval of the samples kept. For a fabric, ``flit_hops`` and ``samples``.
        """
        return self._core.estimate()

    def __getstate__(self) -> ScenarioText:
        """Pickles the scenario as it was written, for another process."""
        return self._written

    def __setstate__(self, written: ScenarioText) -> None:
        """Checks the scenario again: in the other process, files that it names may differ."""
        self._written = written
        self._core = _checked(written)

    def __eq__(self, other: object) -> bool:
        """Whether all settings, with defaults filled in, and all named files are equal."""
        if not isinstance(other, Scenario):
            return NotImplemented
        return (self.identity, self.to_toml()) == (other.identity, other.to_toml())

    def __hash__(self) -> int:
        return hash(self.identity)

    def __repr__(self) -> str:
        return f"<incast.Scenario {self.name!r}: {self.algorithm}, identity {self.identity}>"

    def _repr_html_(self) -> str:
        """Facts of the scenario, and all settings, for a notebook."""
        from incast.present.notebook.scenario import html

        return html(self.name, self.describe(), self.estimate(), self.to_toml())


def traffic_kinds() -> dict[str, str]:
    """Kinds of ``[[traffic]]`` entries by name, each with a one-line summary."""
    traffic = schema()["$defs"]["Scenario"]["properties"]["traffic"]
    kinds = traffic["items"]["oneOf"]
    return {each["properties"]["kind"]["const"]: each["description"] for each in kinds}


def shipped() -> dict[str, Path]:
    """Scenario files that come with incast, by name."""
    folder = Path(__file__).parent / "scenarios"
    return {file.stem: file for file in sorted(folder.glob("*.toml"))}


def schema() -> dict[str, Any]:
    """The JSON Schema of scenario files."""
    loaded: dict[str, Any] = json.loads(_core.schema())
    return loaded


class ScenarioText(NamedTuple):
    """A scenario as its user gave it, not yet checked."""

    text: str
    file: str
    """The file's name in messages."""
    folder: Path
    """The folder at which relative paths begin."""
    settings: list[tuple[str, str]]

    def beside(self, folder: Path) -> ScenarioText:
        """The scenario with relative paths that begin at another folder. The folder is made
        absolute, as the program may change its current folder before it reads the scenario again.
        """
        # A current folder that has been removed has no path.
        with suppress(FileNotFoundError):
            folder = folder.absolute()
        return self._replace(folder=folder)


LARGEST_FILE = 16 << 20
"""The size of the largest scenario file in bytes, as in the engine; a larger file is a mistake."""
_OF_A_DICT = "scenario"
"""File name of a scenario that was given as a dict, and default name of its run."""

_SHAPE = ("topology", "planes", "link_rate", "link_delay")
"""Keys of `[network]` that nodes and links depend on."""
_SHORT = {"seed": "run.seed", "name": "run.name", "stop": "run.stop"}
"""Overrides of `run` that may be given without its name."""


def _checked(written: ScenarioText) -> _core.Scenario | _core.FabricScenario:
    try:
        if _is_fabric(written):
            return _core.FabricScenario.from_toml(written.text, written.file, written.settings)
        return _of_network(written)
    except ScenarioError as error:
        if error.file == _OF_A_DICT:
            # The text was generated from a dict, so that only the key is useful.
            error.file = error.line = None
        raise


def _of_network(written: ScenarioText) -> _core.Scenario:
    text, file, folder, settings = written
    while True:
        try:
            return _core.Scenario.from_toml(text, file, str(folder), settings)
        except ScenarioError as error:
            found = _installed(error)
            if found is None:
                raise
        settings = [*settings, found]


def _installed(error: ScenarioError) -> tuple[str, str] | None:
    """The key that names an algorithm unknown to the engine, and the algorithm of this name in an
    installed package.
    """
    known = re.match("unknown algorithm `(.+?)`", error.what)
    key = error.key or ""
    if known is None or not re.fullmatch(r"cc\.algorithm|traffic\[\d+\]\.cc(\.algorithm)?", key):
        return None
    from incast.algorithm import installed

    found = installed(known[1])
    return None if found is None else (key, toml.inline(found))


def _is_fabric(written: ScenarioText) -> bool:
    """Whether the scenario has ``[fabric]``. A search for the word saves parsing most scenarios."""
    return "fabric" in written.text and _core.is_fabric(written.text, written.file)


def _written(source: str | Path | Mapping[str, Any] | Scenario | ScenarioText) -> ScenarioText:
    if isinstance(source, Scenario):
        return source._written
    return source if isinstance(source, ScenarioText) else read(source)


def read(source: str | Path | Mapping[str, Any]) -> ScenarioText:
    """Reads a scenario from a file or a dict, unchecked, so that several can be made from it.

    Raises:
        ScenarioError: The file cannot be read, or the dict has values that TOML does not have.
    """
    if isinstance(source, Mapping):
        with _telling():
            return ScenarioText(toml.dumps(source), _OF_A_DICT, Path(), []).beside(Path())
    path = checked_path(source, ScenarioError)
    try:
        hint = "keep long lists of flows in a file of their own"
        check_readable(path, ScenarioError, largest=LARGEST_FILE, of="a scenario", hint=hint)
        text = path.read_text(encoding="utf-8")
        return ScenarioText(text, str(source), path.parent, []).beside(path.parent)
    except FileNotFoundError:
        raise ScenarioError("no such file", file=str(source), hint=_elsewhere(path)) from None
    except (OSError, UnicodeDecodeError) as error:
        what = getattr(error, "strerror", None) or "is not text in UTF-8"
        raise ScenarioError(what, file=str(source)) from None


def _elsewhere(path: Path) -> str:
    """A hint for a file that does not exist: files beside it, and shipped scenarios if one of them
    has a similar name.
    """
    beside, known = neighbours(path, "*.toml"), shipped()
    if beside and _core.suggestion(path.stem, [*known]) is None:
        return beside
    names = ", ".join(file.name for file in known.values())
    folder = next(iter(known.values())).parent
    with_incast = f"scenarios that come with incast are in {folder}: {names}"
    return "; ".join(filter(None, (beside, with_incast)))


def _changes(overrides: dict[str, Any], written: ScenarioText) -> list[tuple[str, str]]:
    overrides = {_SHORT.get(key, key): value for key, value in overrides.items()}
    if isinstance(overrides.get("attack"), str):
        overrides["attack.kind"] = overrides.pop("attack")
    if isinstance(overrides.get("balance"), str):
        values = [
            (segments(key), _parsed(f"value = {text}").get("value", text))
            for key, text in written.settings
        ]
        balance = balanced(overrides.pop("balance"), _parsed(written.text), values)
        return [("network.balance", toml.inline(balance)), *_changes(overrides, written)]
    algorithm = overrides.get("cc")
    if not isinstance(algorithm, str):
        with _telling():
            return list(toml.dotted(overrides))
    del overrides["cc"]
    rest = _changes(overrides, written)
    if is_in_a_file(algorithm):
        # A path given beside a scenario is relative to the program's current folder.
        return [("cc", toml.inline({"algorithm": str(Path(algorithm).absolute())})), *rest]
    if algorithm == _algorithm(written):
        return rest
    name, colon, parameters = algorithm.partition(":")
    if _is_fabric(written):
        window = {"window": _number(parameters)} if colon else {}
        return [("control", toml.inline({"scheme": name} | window)), *rest]
    cc = {"algorithm": name} | ({"parameters": parameters} if colon else {})
    return [("cc", toml.inline(cc)), *rest]


def _without_leftovers(
    changes: Sequence[tuple[str, str]], written: ScenarioText
) -> list[tuple[str, str]]:
    """The changes. If they name another algorithm, or fabric scheme, removing the old one's
    parameters comes first.
    """
    section, name = _named_in(written)
    places = [place for place, (key, _) in enumerate(changes) if key == f"{section}.{name}"]
    if not places:
        return list(changes)
    last = places[-1]
    algorithm = changes[last][1].strip().strip("\"'")
    others = [
        (key, text)
        for place, (key, text) in enumerate(changes)
        if key != f"{section}.{name}" and not (key == section and place < last)
    ]
    return [*_changes({"cc": algorithm}, written), *others]


def _check_named_once(
    overrides: Mapping[str, Any], settings: Sequence[tuple[str, str]], written: ScenarioText
) -> None:
    """Refuses a second name of the algorithm beside `cc`: results are labelled by one name.

    Raises:
        ScenarioError: There is a second name.
    """
    section, name = _named_in(written)
    named, parameters = overrides["cc"], "window" if section == "control" else "parameters"
    others = [[section], [section, name]]
    if ":" in named and not is_in_a_file(named):
        others.append([section, parameters])
    for key in changed_keys(_but("cc", overrides), settings):
        if segments(key) in others:
            what = f"the congestion control is given twice: it is `{named}` by --cc"
            hint = f"leave out `{key}`, or --cc (in Python cc=…)"
            raise ScenarioError(what, key=key, hint=hint)


def _check_seeded_once(overrides: Mapping[str, Any], settings: Sequence[tuple[str, str]]) -> None:
    """Refuses a second seed beside `seed`: one of the two would be dropped.

    Raises:
        ScenarioError: There is a second seed.
    """
    if "seed" not in overrides:
        return
    for key in changed_keys(_but("seed", overrides), settings):
        if segments(key) in (["run"], ["run", "seed"]):
            what = f"the seed is given twice: it is {overrides['seed']} by --seed"
            hint = f"leave out `{key}`, or --seed (in Python seed=…)"
            raise ScenarioError(what, key=key, hint=hint)


def _but(name: str, overrides: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in overrides.items() if key != name}


def changed_keys(
    overrides: Mapping[str, Any], settings: Sequence[tuple[str, str]]
) -> Iterator[str]:
    """The dotted keys that settings and overrides change; for a section, the keys in it."""
    yield from (key for key, _ in settings)
    for key, value in overrides.items():
        if isinstance(value, Mapping):
            yield from (f"{key}.{each}" for each in value)
        else:
            yield key


def segments(key: str) -> list[str]:
    """The parts of a dotted key, as the engine splits it: ``traffic[0].load`` and
    ``traffic.0.load`` are the same.
    """
    return [step for step in re.split(r"[.\[\]]", key) if step]


def is_in_a_file(algorithm: str) -> bool:
    """Whether the name of an algorithm is a Python file, with or without a class."""
    return algorithm.rpartition(":")[0].endswith(".py") or algorithm.endswith(".py")


def _number(text: str) -> int | str:
    """An int if the text is one; else the text, which the engine reports."""
    return int(text) if text.isdecimal() else text


def _named_in(written: ScenarioText) -> tuple[str, str]:
    """The section and the key that name the algorithm, or a fabric's scheme."""
    return ("control", "scheme") if _is_fabric(written) else ("cc", "algorithm")


def _algorithm(written: ScenarioText) -> object:
    """The algorithm, or fabric scheme, of a scenario; ``None`` if its settings may change it."""
    section, name = _named_in(written)
    if any(key.split(".")[0] == section for key, _ in written.settings):
        return None
    said = _parsed(written.text).get(section)
    return said.get(name) if isinstance(said, dict) else None


def _parsed(text: str) -> dict[str, Any]:
    """The tables of a TOML text; empty if it is not TOML, which the engine reports in detail."""
    import tomllib

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return {}


@contextmanager
def _telling() -> Iterator[None]:
    """Turns errors of values that TOML cannot hold into errors of the scenario."""
    try:
        yield
    except (TypeError, ValueError) as error:
        raise ScenarioError(str(error)) from None
    except RecursionError:
        what = "the dict has hundreds of levels, or holds itself"
        raise ScenarioError(what, hint="write it as a scenario file would have it") from None


@contextmanager
def in_utf8() -> Iterator[None]:
    """Turns errors of text that is not UTF-8 into errors of the scenario."""
    try:
        yield
    except UnicodeEncodeError as error:
        what = f"`{error.object}` is not text in UTF-8"
        raise ScenarioError(what, hint="write, or name, it in UTF-8") from None
