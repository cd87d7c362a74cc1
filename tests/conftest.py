"""What several tests need."""

from __future__ import annotations

import signal

import incast
import pytest
import scenarios
import synthetic


@pytest.fixture(scope="session", autouse=True)
def _signals():
    """Ctrl-C interrupts and a hang-up ends, even where the tests were started with these signals
    ignored: a shell does that to what it runs in the background, nohup to all that it runs.
    """
    ours = {"SIGINT": signal.default_int_handler, "SIGHUP": signal.SIG_DFL}
    numbers = {name: getattr(signal, name) for name in ours if hasattr(signal, name)}
    before = {number: signal.signal(number, ours[name]) for name, number in numbers.items()}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.fixture(scope="session")
def folders(tmp_path_factory):
    """Made-up results folders, by name."""
    root = tmp_path_factory.mktemp("results")
    return {
        "star": synthetic.star(root / "star"),
        "star-none": synthetic.star(root / "star-none", algorithm="none", seed=2),
        "partial": synthetic.star(root / "partial", partial=True),
        "fabric": synthetic.fabric(root / "fabric"),
        "empty": synthetic.empty(root / "empty"),
    }


@pytest.fixture
def star(folders):
    return incast.load(folders["star"])


@pytest.fixture
def fabric(folders):
    return incast.load(folders["fabric"])


@pytest.fixture
def empty(folders):
    return incast.load(folders["empty"])


@pytest.fixture
def ring(tmp_path):
    """Five switches in a ring, two hosts at each, which send to the switch after the next."""
    names = scenarios.RING
    hosts = [f"{name}-{which}" for name in names for which in "ab"]
    links = [f"link {host} {host[:3]} 100Gbps 1us" for host in hosts]
    links += [
        f"link {name} {after} 100Gbps 1us"
        for name, after in zip(names, [*names[1:], names[0]], strict=True)
    ]
    lines = ["hosts " + " ".join(hosts), "switches " + " ".join(names), *links]
    (tmp_path / "ring.graph").write_text("\n".join(lines) + "\n")
    flows = [
        {"source": n, "destination": (n + 4) % 10, "size": "20MB", "start": "0s"} for n in range(10)
    ]
    short = {"source": 0, "destination": 1, "size": "1KB", "start": "0s"}
    return {
        "run": {"name": "ring"},
        "network": {
            "topology": {"file": str(tmp_path / "ring.graph"), "format": "graph"},
            "buffer": {"size": "520KB"},
        },
        "cc": {"algorithm": "rocc"},
        "traffic": [{"kind": "flows", "flows": [*flows, short]}],
    }
