"""Packet traces as pcapng, as tshark and a reader of these tests read them."""

import gzip
import shutil
import subprocess
import tomllib

import incast
import numpy as np
import pytest
import runs
from incast.cli import main

SCENARIOS = {
    "dcqcn": runs.DCQCN,
    "lossy": runs.LOSSY,
    "paused": runs.PAUSED,
    "requests": runs.REQUESTS,
}
FIELDS = {
    "frame.time_epoch": "time",
    "frame.interface_name": "interface",
    "frame.packet_flags_direction": "direction",
    "frame.len": "length",
    "eth.src": "mac",
    "ip.src": "source",
    "ip.dst": "destination",
    "ip.dsfield.ecn": "ecn",
    "udp.srcport": "source_port",
    "udp.dstport": "destination_port",
    "infiniband.bth.opcode": "opcode",
    "infiniband.bth.destqp": "queue_pair",
    "infiniband.bth.a": "requests_ack",
    "infiniband.bth.psn": "psn",
    "infiniband.aeth.syndrome": "syndrome",
    "infiniband.aeth.msn": "messages",
    "macc.cbfc.enbv": "classes",
    "macc.cbfc.pause_time.c3": "quanta",
}


@pytest.fixture(scope="module")
def results():
    return {name: incast.run(scenario) for name, scenario in SCENARIOS.items()}


def tshark(*arguments):
    if shutil.which("tshark") is None:
        pytest.skip("there is no tshark, which reads the captures; on Debian: apt install tshark")
    # With tshark's default preferences, whatever the user's are.
    done = subprocess.run(
        ["tshark", "-n", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=True,
        env={"PATH": "/usr/bin:/bin:/usr/local/bin", "HOME": "/nonexistent", "LC_ALL": "C.UTF-8"},
    )
    return done.stdout


def expected(run, row):
    """The fields that tshark finds for a row of the trace, according to the documentation."""
    flows = run.flows
    kind, mtu = row["kind"], 1000
    port = f"{'host' if row['node'] < run.summary['hosts'] else 'switch'} {row['node']}"
    found = {
        "time": "{}.{:09d}".format(*divmod(row["time_ps"] // 1000, 10**9)),
        "interface": f"{port} port {row['port']}" + (" dropped" if row["event"] == "drop" else ""),
        "direction": {"send": "2", "receive": "1", "drop": "0"}[row["event"]],
    }
    if kind in ("pause", "resume"):
        quanta = "65535" if kind == "pause" else "0"
        return found | {"length": "64", "classes": "0x0008", "quanta": quanta}
    at = np.flatnonzero(flows["flow_id"] == row["flow_id"])[0]
    ends = [f"10.0.0.{flows[name][at]}" for name in ("source", "destination")]
    source, destination = ends if kind in ("data", "rate-request") else reversed(ends)
    least = {"data": 58, "ack": 62, "nack": 62, "cnp": 74}.get(kind, 60)
    found |= {
        "length": str(max(row["wire_bytes"], least)),
        "source": source,
        "destination": destination,
        "source_port": str(flows["source_port"][at]),
        "ecn": "0",
        "destination_port": "4791",
    }
    if kind.startswith("rate"):
        return found | {"destination_port": "1021"}
    first, size = row["sequence"], flows["size_bytes"][at]
    found["queue_pair"] = f"0x{256 + int(row['flow_id']):06x}"
    found["requests_ack"] = "1" if kind == "data" else "0"
    if kind == "data":
        ends_flow = first + row["payload_bytes"] == size
        found["opcode"] = {(1, 0): "0", (0, 0): "1", (0, 1): "2", (1, 1): "4"}[
            int(first == 0), int(ends_flow)
        ]
        unmarked = "2" if run.name == "dcqcn" else "0"
        found["ecn"] = "3" if row["marked"] else unmarked
        return found | {"psn": str(first // mtu)}
    if kind == "cnp":
        return found | {"opcode": "129", "psn": "0"}
    found |= {"opcode": "17", "syndrome": "31" if kind == "ack" else "96"}
    found["messages"] = "1" if first == size else "0"
    number = -(-first // mtu) - 1 if kind == "ack" else first // mtu
    return found | {"psn": str(number % (1 << 24))}


@pytest.mark.parametrize("name", SCENARIOS)
def test_tshark_gives_back_the_trace(name, results, tmp_path):
    run = results[name]
    file = run.write_pcapng(tmp_path / "run.pcapng")
    asked = [each for field in FIELDS for each in ("-e", field)]
    lines = tshark("-r", file, "-T", "fields", *asked).splitlines()
    rows = [row for row in run.packets if row["event"] != "enqueue"]
    assert len(lines) == len(rows)
    for line, row in zip(lines, rows, strict=True):
        found = dict(zip(FIELDS.values(), line.split("\t"), strict=True))
        found["direction"] = str(int(found["direction"], 16))
        whole = expected(run, row)
        assert {key: found[key] for key in whole} == whole, row
        assert found["mac"].startswith("02:")


def test_the_scenarios_have_all_kinds(results):
    seen = {(each["kind"], each["event"]) for run in results.values() for each in run.packets}
    kinds = {kind for kind, _ in seen}
    assert kinds >= {"data", "ack", "nack", "cnp", "pause", "resume", "rate-request", "rate-reply"}
    assert ("data", "drop") in seen
    assert results["dcqcn"].packets["marked"].any()


@pytest.mark.parametrize("name", SCENARIOS)
def test_tshark_warns_of_nothing(name, results, tmp_path):
    file = results[name].write_pcapng(tmp_path / "run.pcapng.gz")
    assert tshark("-r", file, "-q", "-z", "expert").strip() == ""
    assert tshark("-r", file, "-Y", "_ws.malformed or _ws.short or _ws.expert") == ""
    assert "Malformed" not in tshark("-r", file)
    checked = ("-o", "ip.check_checksum:TRUE", "-Y", "ip.checksum.status == 0")
    assert tshark("-r", file, *checked) == ""


def test_times_are_exact(results, tmp_path):
    """Times are in picoseconds, by the resolution of the interfaces; tshark prints nanoseconds."""
    run = results["dcqcn"]
    interfaces, records = runs.read(run.write_pcapng(tmp_path / "run.pcapng"))
    assert {each[9] for each in interfaces} == {bytes([12])}
    packets = run.packets
    there = packets["event"] != "enqueue"
    assert [each.time_ps for each in records] == packets["time_ps"][there].tolist()


def test_interfaces_are_ports(results, tmp_path):
    run = results["lossy"]
    interfaces, _ = runs.read(run.write_pcapng(tmp_path / "run.pcapng"))
    names = [each[2].decode() for each in interfaces]
    ports = run.ports
    dropping = np.flatnonzero(ports["dropped"]).tolist()
    own = [label.split(" → ")[0] for label in ports["label"]]
    assert [each for each in names if not each.endswith(" dropped")] == own
    assert [each for each in names if each.endswith(" dropped")] == [
        f"{own[place]} dropped" for place in dropping
    ]
    first = interfaces[0]
    assert first[3].decode() == "host 0 port 0 → switch 9"
    assert (first[6].hex(), int.from_bytes(first[8], "little")) == ("020000000000", 100_000_000_000)


def test_some_ports(results, tmp_path):
    run = results["lossy"]
    chosen = run.write_pcapng(tmp_path / "some.pcapng", ports=["host 3", "switch 9 port 0"])
    interfaces, records = runs.read(chosen)
    names = [each[2].decode() for each in interfaces]
    assert names == ["host 3 port 0", "switch 9 port 0", "switch 9 port 0 dropped"]
    files = run.write_pcapng_per_port(tmp_path / "each", ports=["host 3", "switch 9 port 0"])
    assert [file.name for file in files] == ["host-3-port-0.pcapng", "switch-9-port-0.pcapng"]
    each = [runs.read(file)[1] for file in files]
    assert sorted(record[1:] for record in records) == sorted(
        record[1:] for part in each for record in part
    )
    # The file of one port has all the port's packets of the file of all ports.
    whole = runs.read(run.write_pcapng(tmp_path / "all.pcapng", ports=["host 3"]))[1]
    assert each[0] == whole


def test_a_pause_comes_from_the_peer(results, tmp_path):
    """At both ends of the link, the source of the frame is the port that sent it."""
    run = results["paused"]
    _, records = runs.read(run.write_pcapng(tmp_path / "run.pcapng"))
    frames = [each for each in records if each.captured[12:14].hex() == "8808"]
    sent = [each.captured for each in frames if each.flags & 3 == 2]
    come = [each.captured for each in frames if each.flags & 3 == 1]
    assert sorted(sent) == sorted(come)
    assert len(sent) == sum(run.ports["pauses_sent"]) * 2, "each pause has its resume"
    assert all(each.flags >> 2 == 2 for each in frames), "multicast"


def test_snap_length(results, tmp_path):
    run = results["dcqcn"]
    whole = runs.read(run.write_pcapng(tmp_path / "whole.pcapng"))[1]
    cut = runs.read(run.write_pcapng(tmp_path / "cut.pcapng", snap_length=64))[1]
    assert [each.captured[:64] for each in whole] == [each.captured for each in cut]
    assert [each.length for each in whole] == [each.length for each in cut]
    for length in (63, 65536):
        with pytest.raises(incast.ResultsError, match=f"cannot keep {length} bytes"):
            run.write_pcapng(tmp_path / "no.pcapng", snap_length=length)


def test_the_same_run_makes_the_same_file(results, tmp_path):
    run = results["dcqcn"]
    plain = run.write_pcapng(tmp_path / "a.pcapng").read_bytes()
    packed = [run.write_pcapng(tmp_path / f"{name}.pcapng.gz").read_bytes() for name in "ab"]
    assert packed[0] == packed[1]
    assert gzip.decompress(packed[0]) == plain
    assert len(packed[0]) < len(plain) / 20


def test_real_sizes_leave_room_for_all_payload(tmp_path):
    """With headers of 58 B, as in docs/exporting.md, frames carry the payload of the model's
    packets.
    """
    sizes = {"data_header": "58B", "ack": "62B", "cnp": "74B"}
    scenario = {**runs.DCQCN, "network": {**runs.DCQCN["network"], "packets": sizes}}
    run = incast.run(scenario)
    assert tomllib.loads(run.scenario)["network"]["packets"]["data_header"] == "58B"
    lengths = [each.length for each in runs.read(run.write_pcapng(tmp_path / "a.pcapng"))[1]]
    packets = run.packets
    assert lengths == packets["wire_bytes"][packets["event"] != "enqueue"].tolist()


def test_nodes_with_names_of_their_own(tmp_path):
    graph = tmp_path / "pair.graph"
    graph.write_text("hosts b a\nswitches tor0\nlink a tor0 100Gbps 1us\nlink b tor0 25Gbps 1us\n")
    scenario = {
        "network": {"topology": {"file": str(graph), "format": "graph"}},
        "cc": {"algorithm": "none"},
        "traffic": [{"kind": "incast", "senders": "1", "receiver": 0, "sizes": "3KB"}],
        "measure": {"packets": True},
    }
    run = incast.run(scenario)
    file = run.write_pcapng(tmp_path / "named.pcapng", ports=["a", "tor0 port 0"])
    interfaces, records = runs.read(file)
    assert [each[2].decode() for each in interfaces] == ["a port 0", "tor0 port 0"]
    first = records[0]
    assert (first.interface, first.flags & 3) == (0, 2)
    # From host 1, named a, to host 0.
    assert first.captured[26:34].hex() == "0a0000010a000000"


def test_ports_whose_names_coincide_have_files_of_their_own(tmp_path):
    """Each host sends, and so do the switch ports to the hosts; the receiver is .z."""
    hosts = ("a/b", "a-b", "A:b", "-c", "c", ".z")
    links = "".join(f"link {host} tor 100Gbps 1us\n" for host in hosts)
    graph = tmp_path / "names.graph"
    graph.write_text(f"hosts {' '.join(hosts)}\nswitches tor\n{links}")
    scenario = {
        "network": {"topology": {"file": str(graph), "format": "graph"}},
        "cc": {"algorithm": "none"},
        "traffic": [{"kind": "incast", "senders": "0-4", "receiver": 5, "sizes": "3KB"}],
        "measure": {"packets": True},
    }
    run = incast.run(scenario)
    files = run.write_pcapng_per_port(tmp_path / "each", ports=list(hosts))
    assert [file.name for file in files] == [
        "a-b-port-0.pcapng",
        "a-b-port-0-2.pcapng",
        "A-b-port-0-3.pcapng",
        "c-port-0.pcapng",
        "c-port-0-2.pcapng",
        "z-port-0.pcapng",
    ]
    assert sorted((tmp_path / "each").iterdir()) == sorted(files)
    interfaces = [runs.read(file)[0][0][2].decode() for file in files]
    assert interfaces == [f"{host} port 0" for host in hosts]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "export what?; give --pcapng, or --timeline"),
        (["--pcapng", ""], "argument --pcapng: names nothing"),
        (["--pcapng", "a", "--port", "host 77"], "dcqcn: there is no port or node `host 77`; did"),
        (["--pcapng", "a", "--port", "host 1 port 1"], "dcqcn: there is no port or node `host 1 "),
        (["--pcapng", "a", "--snap-length", "4"], "argument --snap-length: `4` is not a number"),
        (["--pcapng", "there"], "there: exists already; take another name, or replace it: --force"),
        (["--pcapng", "."], ".: is a folder; name a file in it"),
        (["--pcapng", "there/in"], "there: is a file; nothing can be stored below it"),
        (["--pcapng", "there", "--per-port"], "there: is a file; nothing can be stored below it"),
        (["--pcapng", "nowhere/a"], "nowhere/a: No such file or directory"),
    ],
)
def test_mistakes(arguments, message, results, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    results["dcqcn"].save("run")
    (tmp_path / "there").touch()
    assert main(["export", "run", *arguments]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"error: {message}")
    assert (tmp_path / "there").read_bytes() == b""


def test_results_without_a_trace(star, fabric, tmp_path):
    with pytest.raises(incast.ResultsError, match=r"packets were not traced; set `measure.packets"):
        star.write_pcapng(tmp_path / "a.pcapng")


def test_a_fabric_has_no_packets(tmp_path):
    import scenarios

    with pytest.raises(incast.ResultsError, match="a memory fabric has no packets"):
        incast.run(scenarios.FABRIC).write_pcapng(tmp_path / "a.pcapng")


def test_ports_that_saw_nothing(tmp_path):
    measure = {"packets": {"ports": ["host 1"]}}
    run = incast.run({**runs.DCQCN, "measure": measure})
    with pytest.raises(incast.ResultsError, match="the packet trace has nothing at host 2, switch"):
        run.write_pcapng(tmp_path / "a.pcapng", ports=["host 2", "switch 9"])
    run = incast.run({**runs.DCQCN, "measure": {"packets": {"from": "1s"}}})
    with pytest.raises(incast.ResultsError, match="no packet was sent, received or dropped in"):
        run.write_pcapng(tmp_path / "a.pcapng")


def test_a_full_disk(results, tmp_path):
    with pytest.raises(incast.ResultsError, match="/dev/full: No space left on device"):
        results["dcqcn"].write_pcapng("/dev/full")


def test_a_failure_leaves_what_was_there(results, tmp_path, monkeypatch):
    from incast.export import capture

    def fails(*_):
        raise OSError(28, "No space left on device")

    file = tmp_path / "a.pcapng"
    file.write_text("before")
    monkeypatch.setattr(capture.pcapng, "enhanced_packets", fails)
    with pytest.raises(incast.ResultsError, match="No space left on device"):
        results["dcqcn"].write_pcapng(file, overwrite=True)
    assert [each.name for each in tmp_path.iterdir()] == ["a.pcapng"]
    assert file.read_text() == "before"


def test_the_command(results, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    results["dcqcn"].save("run")
    assert main(["export", "run", "--pcapng", "a.pcapng", "--port", "host 0"]) == 0
    assert capsys.readouterr().out.startswith("a.pcapng  ")
    assert main(["export", "run", "--pcapng", "each", "--per-port"]) == 0
    assert len(list((tmp_path / "each").iterdir())) == 18
    assert capsys.readouterr().out.splitlines()[-1].startswith("each/switch-9-port-8.pcapng  ")
    assert main(["export", "run", "--pcapng", "each", "--per-port"]) == 2
    assert main(["export", "run", "--pcapng", "each", "--per-port", "--force"]) == 0
    one = (tmp_path / "each" / "host-0-port-0.pcapng").read_bytes()
    assert one == (tmp_path / "a.pcapng").read_bytes()


def test_a_failure_leaves_no_empty_folder(results, tmp_path, monkeypatch):
    from incast.export import capture

    def fails(*_):
        raise OSError(28, "No space left on device")

    (tmp_path / "there").mkdir()
    monkeypatch.setattr(capture.pcapng, "enhanced_packets", fails)
    for folder in (tmp_path / "new" / "each", tmp_path / "there"):
        with pytest.raises(incast.ResultsError, match="No space left on device"):
            results["dcqcn"].write_pcapng_per_port(folder)
    assert [each.name for each in tmp_path.iterdir()] == ["there"]


def test_one_place_for_two_files_is_refused(results, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    results["dcqcn"].save("run")
    assert main(["export", "run", "--pcapng", "a", "--timeline", "./a", "--force"]) == 2
    assert capsys.readouterr().err == (
        "error: a: --pcapng and --timeline name the same file; give each a place of its own\n"
    )
    assert [each.name for each in tmp_path.iterdir()] == ["run"]


def test_files_of_results_are_never_replaced(results, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    results["dcqcn"].save("run")
    before = (tmp_path / "run" / "flows.parquet").read_bytes()
    for option in ("--pcapng", "--timeline"):
        assert main(["export", "run", option, "run/flows.parquet", "--force"]) == 2
        assert "run/flows.parquet: belongs to the results in its" in capsys.readouterr().err
    assert (tmp_path / "run" / "flows.parquet").read_bytes() == before
