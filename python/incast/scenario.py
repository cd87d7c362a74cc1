"""Scenarios: inputs of the simulator. The schema lives in the engine; here they are only built."""

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
    of ``[network]``, of a memory fabric. Scenarios are equal if all of their settings are, with
    defaults filled in, whatever they were written in.

    Args:
        source: A TOML file, or what was read of one; or a dict of the same shape; or a scenario to
            change.
        settings: Dotted keys and the TOML texts that replace their values, as after ``--set``:
            ``[("traffic.0.load", "0.7")]``.
        folder: At which relative paths begin; by default, that of the file, or the current one.
        overrides: The same as Python values. Nested dicts are merged into what the source says:
            ``network={"ack_every": 2}``, ``**{"traffic.0.load": 0.7}``. ``seed``, ``name`` and
            ``stop`` are those of ``run``. ``cc="hpcc"``, or ``cc.algorithm``, names another
            algorithm, and drops the old one's parameters. ``cc="swift:fairness"`` also names its
            set of parameters. Both leave the algorithms of traffic entries that have a ``cc`` of
            their own. ``attack="staggered"`` names another attack by the same attackers, and
            ``balance="reps"`` another load balancing of flows, with the scenario's number of
            entropies, and otherwise its own options.
            Of a fabric, ``cc`` or ``control.scheme`` names a scheme of injection control, and
            ``cc="window:3"`` a window.

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
        """Name of the congestion control algorithm, or of a fabric's scheme; of several, the names
        with commas between.
        """
        return str(self.describe()["algorithm"])

    @property
    def identity(self) -> str:
        """A hash of the checked scenario, its seed and the engine: same identity, same results."""
        return self._core.identity

    @property
    def folder(self) -> Path:
        """The folder at which relative paths in it begin."""
        return self._written.folder

    @property
    def kind(self) -> Literal["network", "fabric"]:
        """What the scenario is of."""
        return "fabric" if isinstance(self._core, _core.FabricScenario) else "network"

    @property
    def single_threaded_because(self) -> str | None:
        """The reason for which the scenario runs on one thread; ``None`` if there is none."""
        return self._core.single_threaded_because

    @property
    def is_in_python(self) -> bool:
        """Whether an algorithm of it is in a Python file."""
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
        """The nodes of the network by their distance from the nearest host, and the links between
        them, from its shape alone: ``layers`` has ``names`` of each, ``bundles`` the ``links``.

        Raises:
            ScenarioError: It is of a memory fabric.
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
        """Tells the algorithm of a network random sequences of what may happen to a flow, and gives
        how many events these had; or, in the second place, what is not sound in its answers.

        Args:
            seed: Of the random sequences.
            sequences: How many of them.
        """
        assert isinstance(self._core, _core.Scenario)
        return self._core.random_events(seed, sequences)

    def estimate(self) -> dict[str, Any]:
        """What a run will take, roughly: ``packet_hops``, ``memory_bytes``, its
        ``memory_parts``; whether it ``leaves_rows_open`` (of flows, which would take
        ``rows_if_loaded_bytes``). Of the series of ``queues`` and flows (``flow_series``) their
        ``rows`` and the interval of the samples kept. Of a fabric, ``flit_hops`` and ``samples``.
        """
        return self._core.estimate()

    def __getstate__(self) -> ScenarioText:
        """What was written, so that a scenario can be sent to another process."""
        return self._written

    def __setstate__(self, written: ScenarioText) -> None:
        """Checks it again: files that it names may differ there."""
        self._written = written
        self._core = _checked(written)

    def __eq__(self, other: object) -> bool:
        """Whether all settings are equal, with defaults filled in, and so are the files named."""
        if not isinstance(other, Scenario):
            return NotImplemented
        return (self.identity, self.to_toml()) == (other.identity, other.to_toml())

    def __hash__(self) -> int:
        return hash(self.identity)

    def __repr__(self) -> str:
        return f"<incast.Scenario {self.name!r}: {self.algorithm}, identity {self.identity}>"

    def _repr_html_(self) -> str:
        """What it is of, and all settings, for a notebook."""
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
    """A scenario as its user gave it, not checked."""

    text: str
    file: str
    """Its name in messages."""
    folder: Path
    """The folder at which relative paths begin."""
    settings: list[tuple[str, str]]

    def beside(self, folder: Path) -> ScenarioText:
        """The scenario with relative paths that begin at another folder: always at that one,
        wherever the program, which may read it again, is by then.
        """
        # Of a current folder that has been removed, there is no path.
        with suppress(FileNotFoundError):
            folder = folder.absolute()
        return self._replace(folder=folder)


LARGEST_FILE = 16 << 20
"""Bytes, as the engine has it; larger ones would be a mistake, not a scenario."""
_OF_A_DICT = "scenario"
"""File name of a scenario that was a dict, for the engine; also the default name of the run."""

_SHAPE = ("topology", "planes", "link_rate", "link_delay")
"""Keys of `[network]` that nodes and links depend on."""
_SHORT = {"seed": "run.seed", "name": "run.name", "stop": "run.stop"}
"""Overrides that need not be nested."""


def _checked(written: ScenarioText) -> _core.Scenario | _core.FabricScenario:
    try:
        if _is_fabric(written):
            return _core.FabricScenario.from_toml(written.text, written.file, written.settings)
        return _of_network(written)
    except ScenarioError as error:
        if error.file == _OF_A_DICT:
            # The text is our own writing of the dict: the key alone tells the place.
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
    """The key whose algorithm the engine does not know, and the algorithm of that name in an
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
    """Whether it has ``[fabric]``; most scenarios need not be parsed to know that they have not."""
    return "fabric" in written.text and _core.is_fabric(written.text, written.file)


def _written(source: str | Path | Mapping[str, Any] | Scenario | ScenarioText) -> ScenarioText:
    if isinstance(source, Scenario):
        return source._written
    return source if isinstance(source, ScenarioText) else read(source)


def read(source: str | Path | Mapping[str, Any]) -> ScenarioText:
    """A scenario as it is written in a file or a dict: for several scenarios of one text.

    Raises:
        ScenarioError: The file cannot be read, or the dict not be written.
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
    """Files beside one that does not exist; and those that come with incast, if one of them may be
    meant.
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
        # Of a path that is given beside a scenario, the folder is the program's.
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
    """The changes; where they name another algorithm, or scheme of a fabric, the parameters of the
    old one go first.
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
    """Refuses another name of the algorithm beside `cc`: results would be labelled by one of them.

    Raises:
        ScenarioError: There is one.
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
    """Refuses another seed beside `seed`: one of them would be dropped.

    Raises:
        ScenarioError: There is one.
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
    """The keys that settings and overrides change, dotted: those in it for a whole section."""
    yield from (key for key, _ in settings)
    for key, value in overrides.items():
        if isinstance(value, Mapping):
            yield from (f"{key}.{each}" for each in value)
        else:
            yield key


def segments(key: str) -> list[str]:
    """The steps of a dotted key, as the engine has them: ``traffic[0].load`` and ``traffic.0.load``
    are the same.
    """
    return [step for step in re.split(r"[.\[\]]", key) if step]


def is_in_a_file(algorithm: str) -> bool:
    """Whether the name of an algorithm is that of a Python file, with or without a class."""
    return algorithm.rpartition(":")[0].endswith(".py") or algorithm.endswith(".py")


def _number(text: str) -> int | str:
    """A whole number if it is one; the engine reports what is not."""
    return int(text) if text.isdecimal() else text


def _named_in(written: ScenarioText) -> tuple[str, str]:
    """The section and the key that name the algorithm, or a fabric's scheme."""
    return ("control", "scheme") if _is_fabric(written) else ("cc", "algorithm")


def _algorithm(written: ScenarioText) -> object:
    """The algorithm, or a fabric's scheme, that a scenario names, if it says so in its text."""
    section, name = _named_in(written)
    if any(key.split(".")[0] == section for key, _ in written.settings):
        return None
    said = _parsed(written.text).get(section)
    return said.get(name) if isinstance(said, dict) else None


def _parsed(text: str) -> dict[str, Any]:
    """A text's tables; empty if it is not TOML, which the engine reports in detail."""
    import tomllib

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return {}


@contextmanager
def _telling() -> Iterator[None]:
    """Turns values that TOML cannot hold into errors of the scenario."""
    try:
        yield
    except (TypeError, ValueError) as error:
        raise ScenarioError(str(error)) from None
    except RecursionError:
        what = "the dict has hundreds of levels, or holds itself"
        raise ScenarioError(what, hint="write it as a scenario file would have it") from None


@contextmanager
def in_utf8() -> Iterator[None]:
    """Turns names and arguments in other encodings into errors of the scenario."""
    try:
        yield
    except UnicodeEncodeError as error:
        what = f"`{error.object}` is not text in UTF-8"
        raise ScenarioError(what, hint="write, or name, it in UTF-8") from None
