"""Files of the HPCC ns-3 artifact and of its forks, read as ns-3 reads them; tables of sizes."""

import incast
import pytest
from incast.cli import main

PAIR = """\
3 1 2
2
0 2 100Gbps 1us 0
1 2 100Gbps 1us 0
"""
FLOW = "1\n0 1 3 100 1000 2\n"
CONFIG = """\
ENABLE_QCN 1
USE_DYNAMIC_PFC_THRESHOLD 1
PACKET_PAYLOAD_SIZE 1000
TOPOLOGY_FILE topology.txt
FLOW_FILE flow.txt
SIMULATOR_STOP_TIME 4.00
CC_MODE 3
RATE_AI 50Mb/s
MIN_RATE 100Mb/s
ERROR_RATE_PER_LINK 0.0000
L2_ACK_INTERVAL 1
L2_BACK_TO_ZERO 0
HAS_WIN 1
GLOBAL_T 1
VAR_WIN 1
FAST_REACT 1
U_TARGET 0.95
MI_THRESH 0
INT_MULTI 1
RATE_BOUND 1
ACK_HIGH_PRIO 0
KMAX_MAP 1 100000000000 1600
KMIN_MAP 1 100000000000 400
PMAX_MAP 1 100000000000 0.2
BUFFER_SIZE 32
"""


@pytest.fixture
def folder(tmp_path):
    """A folder with the files of an experiment."""

    def write(**files):
        texts = {"config": CONFIG, "topology": PAIR, "flow": FLOW, **files}
        for name, text in texts.items():
            (tmp_path / f"{name}.txt").write_text(text)
        return tmp_path

    return write


def imported(folder, **options):
    scenario = incast.import_hpcc_ns3(folder / "config.txt", **options)
    return incast.run(scenario.save(folder / "scenario.toml"))


def scenario(folder, topology, **traffic):
    (folder / "net.txt").write_text(topology)
    return incast.Scenario(
        {
            "network": {"topology": {"file": str(folder / "net.txt"), "format": "hpcc-ns3"}},
            "cc": {"algorithm": "hpcc"},
            "traffic": [traffic or {"kind": "permutation", "shift": 1, "sizes": "1KB"}],
        }
    )


def test_hosts_go_by_the_numbers_of_the_file(folder):
    """Switch 0 comes first in the file. So the flow from 2 to 1 goes from the host with the link of
    10 us to the host with the link of 1 us.
    """
    star = "4 1 3\n0\n0 1 100Gbps 1us 0\n0 2 100Gbps 10us 0\n0 3 100Gbps 100us 0\n"
    by_file = imported(folder(topology=star, flow="1\n2 1 3 100 1000 2\n"))
    # Propagation takes 2 · (10 us + 1 us); the rest is serialisation.
    assert by_file.flows.numbers("fct_ps").tolist() == [22_188_000]
    by_hand = "4 1 3\n3\n3 0 100Gbps 1us 0\n3 1 100Gbps 10us 0\n3 2 100Gbps 100us 0\n"
    renumbered = imported(folder(topology=by_hand, flow="1\n1 0 3 100 1000 2\n"))
    assert renumbered.flows.numbers("fct_ps").tolist() == [22_188_000]
    # Node 3 of the file has a link; node 0 is the switch.
    last = imported(folder(topology=star, flow="1\n3 1 3 100 1000 2\n"))
    assert last.flows.numbers("fct_ps").tolist() == [22_188_000 + 2 * 90_000_000]
    with pytest.raises(incast.ImportFileError, match="node 0 of the topology file is no host"):
        imported(folder(topology=star, flow="1\n0 1 3 100 1000 2\n"))


def test_switches_first_take_the_paths_of_the_artifact(folder):
    """ECMP hashes addresses, which follow the numbers of the file. Flows take the same of 4 spines
    as with hosts renumbered by hand only if these numbers count.
    """
    hosts, leaves, spines = range(6, 14), range(2), range(2, 6)
    lines = [f"{host} {0 if host < 10 else 1} 100Gbps 1us 0" for host in hosts]
    lines += [f"{leaf} {spine} 100Gbps {spine}us 0" for leaf in leaves for spine in spines]
    text = f"14 6 {len(lines)}\n0 1 2 3 4 5\n" + "\n".join(lines) + "\n"
    flows = "4\n" + "".join(f"{6 + n} {10 + n} 3 100 1000 2\n" for n in range(4))
    paths = imported(folder(topology=text, flow=flows)).flows.numbers("fct_ps")
    # Twice the delay of the flow's spine, 2 to 5 us, is the same whether or not the ACK takes the
    # same spine.
    assert len(set(paths.tolist())) > 1


def test_notes_and_links_beyond_the_announced_ones_are_not_read(folder):
    described = scenario(folder(), PAIR + "\nFirst line: nodes, switches, links\n").describe()
    assert (described["hosts"], described["switches"], described["links"]) == (2, 1, 2)
    more = "4 1 2\n3\n0 3 100Gbps 1us 0\n1 3 100Gbps 1us 0\n2 3 100Gbps 1us 0\n"
    pair = {"kind": "flows", "flows": [{"source": 0, "destination": 1, "size": "1KB"}]}
    assert len(incast.run(scenario(folder(), more, **pair)).flows) == 1
    left_out = {"kind": "flows", "flows": [{"source": 0, "destination": 2, "size": "1KB"}]}
    with pytest.raises(incast.ScenarioError, match="host 2 does not exist"):
        scenario(folder(), more, **left_out).describe()


def test_a_host_with_two_links_has_two_nics(folder):
    links = "".join(f"{a} {b} 25Gbps 1000ns 0.000000\n" for a in (0, 1) for b in (2, 3))
    one = {"kind": "flows", "flows": [{"source": 0, "destination": 1, "size": "1000B"}]}
    network = scenario(folder(), f"4 2 4\n2 3\n{links}", **one)
    results = incast.run(incast.Scenario(network, cc={"algorithm": "none"}))
    # 4 · 1 us + 2 · 1048 B / 25 Gb/s + 2 · 60 B / 25 Gb/s
    # = 4 us + 2 · 335.36 ns + 2 · 19.2 ns = 4 709.12 ns.
    assert results.flows.numbers("fct_ps").tolist() == [4_709_120]


def test_hosts_without_a_switch_reach_each_other(folder):
    """One link of 1 us: 2 · 1 us of propagation, and half of the 188 ns of serialisation on the two
    links of a star.
    """
    mesh = "3 0 3\n\n0 1 100Gbps 1us 0\n0 2 100Gbps 1us 0\n1 2 100Gbps 1us 0\n"
    flows = "3\n0 1 3 100 1000 2\n1 2 3 100 1000 2\n2 0 3 100 1000 2\n"
    results = imported(folder(topology=mesh, flow=flows))
    assert results.flows.numbers("fct_ps").tolist() == 3 * [2_094_000]
    line = "3 0 2\n\n0 1 100Gbps 1us 0\n1 2 100Gbps 1us 0\n"
    with pytest.raises(incast.ImportFileError, match="joins two hosts, and there are other links"):
        imported(folder(topology=line))


def test_a_buffer_that_headroom_exceeds_runs(folder):
    """Two links of 1 ms at 100 Gb/s need 2 · 3 · 12.5 MB of headroom, more than 32 MiB. Propagation
    takes 2 · 2 ms.
    """
    far = PAIR.replace("1us", "1ms")
    results = imported(folder(topology=far))
    assert results.flows.numbers("fct_ps").tolist() == [4_000_188_000]


def test_random_loss_is_imported(folder):
    """With p = 0.03 on each of two links, some 59 of 1000 packets are lost and sent again."""
    lossy = CONFIG.replace("ERROR_RATE_PER_LINK 0.0000", "ERROR_RATE_PER_LINK 0.03")
    results = imported(folder(config=lossy, flow="1\n0 1 3 100 1000000 2\n"))
    assert len(results.flows) == 1
    assert results.flows.numbers("retransmitted_packets").sum() > 10


def test_only_the_first_flows_are_read(folder):
    flows = "2\n" + "".join(f"{source} 1 3 100 1000 2\n" for source in (0, 2, 3, 4))
    star = "6 1 5\n5\n" + "".join(f"{host} 5 100Gbps 1us 0\n" for host in range(5))
    there = folder(topology=star, flow=flows)
    assert len(imported(there).flows) == 2
    assert len(imported(there, count="ignore").flows) == 4
    with pytest.raises(incast.ImportFileError, match="one flow more than the 2"):
        imported(there, count="check")
    entry = {"kind": "file", "file": str(there / "flow.txt"), "format": "hpcc-ns3", "base": "2s"}
    first = scenario(there, star, **entry, count="first")
    assert len(incast.run(first).flows) == 2
    with pytest.raises(incast.ImportFileError, match="unknown value `frist`; did you mean `first`"):
        imported(there, count="frist")


def test_parallel_links(folder):
    """Of parallel links, only the last carries traffic: 25 Gb/s, not three times that."""
    links = "0 2 100Gbps 1000ns 0\n1 3 100Gbps 1000ns 0\n" + 3 * "2 3 25Gbps 1000ns 0\n"
    network = scenario(folder(), f"4 2 5\n2 3\n{links}")
    assert network.describe()["links"] == 3
    assert len(incast.run(network).flows) == 2


@pytest.mark.parametrize("head", ["4 2 1 3 25000000000 25000000000", "4 2 1 3", "4 2 3"])
@pytest.mark.parametrize("rate", ["25000000000", "25000000000.0"])
def test_first_lines_of_forks_and_rates_without_a_unit(folder, head, rate):
    """Both import as the network with units: 25 Gb/s."""
    links = "0 2 RATE 1us 0\n1 3 RATE 1us 0\n2 3 RATE 1us 0\n"
    plain = scenario(folder(), "4 2 3\n2 3\n" + links.replace("RATE", "25Gbps"))
    network = scenario(folder(), f"{head}\n2 3\n" + links.replace("RATE", rate))
    assert incast.run(network).fingerprint == incast.run(plain).fingerprint


def test_paths_lead_from_any_folder_above(tmp_path):
    folder = tmp_path / "sim" / "examples" / "exp"
    folder.mkdir(parents=True)
    named = CONFIG.replace("topology.txt", "examples/exp/topology.txt")
    named = named.replace("flow.txt", "examples/exp/flow.txt")
    for name, text in (("config", named), ("topology", PAIR), ("flow", FLOW)):
        (folder / f"{name}.txt").write_text(text)
    assert len(imported(folder).flows) == 1


def test_settings_of_a_fork_are_an_error(folder, capsys):
    there = folder(config=CONFIG + "ENABLE_MYCC 1\nNO_CC_NODE 1 0\n")
    command = ["import", "hpcc-ns3", str(there / "config.txt")]
    assert main(command) == 2
    told = " ".join(capsys.readouterr().err.split())
    assert "config.txt:26: ENABLE_MYCC: is no setting of the artifact" in told
    assert "NO_CC_NODE in line 27" in told
    ignored = ["--ignore", "ENABLE_MYCC", "--ignore", "NO_CC_NODE"]
    assert main([*command, *ignored, "-o", str(there / "run.toml")]) == 0
    assert "to be ignored" in capsys.readouterr().out


def test_an_import_ends_well_only_if_the_scenario_can_run(folder):
    """The maps have no entry for links of 40 Gb/s; ns-3 stops without it, too."""
    slow = PAIR.replace("1 2 100Gbps", "1 2 40Gbps")
    with pytest.raises(incast.ImportFileError, match=r"the scenario could not run: network\.ecn"):
        incast.import_hpcc_ns3(folder(topology=slow) / "config.txt")


WEB_SEARCH = """\
0 0
10000 0.15
20000 0.2
30000 0.3
50000 0.4
80000 0.53
200000 0.6
1000000 0.7
2000000 0.8
5000000 0.9
10000000 0.97
30000000 1
"""


def test_tables_of_sizes(tmp_path, capsys):
    """Web search sizes in fractions: interpolated linearly, their mean is 1 711 250 bytes."""
    table = tmp_path / "sizes.txt"
    table.write_text(WEB_SEARCH)
    sizes = incast.import_sizes(table)
    assert (sizes.unit, sizes.columns) == ("fraction", 2)
    assert sizes.mean_bytes == pytest.approx(1_711_250)
    assert main(["import", "sizes", str(table), "-o", str(tmp_path / "percent.txt")]) == 0
    assert "mean 1711250 bytes" in capsys.readouterr().out
    assert "80000 53\n" in (tmp_path / "percent.txt").read_text()
    for form in (
        {"file": str(table), "unit": "fraction"},
        {"file": str(tmp_path / "percent.txt")},
    ):
        traffic = {"kind": "poisson", "load": 0.1, "count": 5, "sizes": form}
        network = {"network": {"topology": "star"}, "cc": {"algorithm": "hpcc"}}
        incast.Scenario({**network, "traffic": [traffic]}).describe()
    with pytest.raises(incast.ResultsError, match="is the file that was read"):
        sizes.save(table)
    packets = tmp_path / "search.tcl"
    packets.write_text("6 1 0.15\n10 1 1\n")
    with pytest.raises(incast.ImportFileError, match='write `size_unit = "1460B"`'):
        incast.import_sizes(packets)
    # 8 760·0.15 + (8 760 + 14 600)/2·0.85.
    assert incast.import_sizes(packets, size_unit="1460B").mean_bytes == pytest.approx(11_242)


def test_a_file_without_a_format_is_recognised(folder, capsys):
    there = folder()
    (there / "sizes.txt").write_text(WEB_SEARCH)
    assert main(["import", str(there / "config.txt"), "-o", str(there / "run.toml")]) == 0
    assert "a configuration of the HPCC ns-3 artifact" in capsys.readouterr().out
    assert len(incast.run(there / "run.toml").flows) == 1
    assert main(["import", str(there / "sizes.txt")]) == 0
    captured = capsys.readouterr()
    assert captured.out.startswith("0 0\n10000 15\n")
    assert "a table of flow sizes" in captured.err
    assert main(["import", str(there / "topology.txt")]) == 0
    assert "2 hosts, 1 switch, 2 links" in capsys.readouterr().out
    (there / "notes.txt").write_text("to do\n")
    assert main(["import", str(there / "notes.txt")]) == 2
    assert "is no file of a format that is known here" in " ".join(capsys.readouterr().err.split())
    assert main(["import", "hpcc-ns", str(there / "config.txt")]) == 2
    assert main(["import", "hpc-ns3"]) == 2
    assert "did you mean `hpcc-ns3`?" in capsys.readouterr().err
    assert main(["import"]) == 2


def test_a_folder_is_tried(folder, capsys):
    there = folder(config=CONFIG + "ENABLE_MYCC 1\n")
    (there / "deep").mkdir()
    (there / "deep" / "sizes.cdf").write_text(WEB_SEARCH)
    (there / "README").write_text("to do\n")
    (there / ".hidden").write_text(PAIR)
    before = sorted(there.rglob("*"))
    assert main(["import", "--try", str(there)]) == 0
    table = capsys.readouterr().out
    assert sorted(there.rglob("*")) == before
    rows = {line.split()[0]: line.split() for line in table.splitlines() if line.strip()}
    assert rows["config.txt"][1:4] == ["hpcc-ns3", "config", "refused"]
    assert rows["topology.txt"][1:4] == ["hpcc-ns3", "topology", "read"]
    assert rows["flow.txt"][1:4] == ["hpcc-ns3", "flows", "read"]
    assert rows["deep/sizes.cdf"][1:3] == ["sizes", "read"]
    assert "4 files are known, 3 can be read; 1 are something else" in table
    assert main(["import", "--try", str(there / "none")]) == 2


def test_recordings_go_by_the_numbers_of_the_file(folder):
    """A recording in the artifact's format, of an experiment whose switch is node 0."""
    star = "4 1 3\n0\n0 1 100Gbps 1us 0\n0 2 100Gbps 10us 0\n0 3 100Gbps 100us 0\n"
    there = folder(topology=star, flow="2\n2 1 3 100 1000 2\n3 2 3 100 5000 2.0001\n")
    flows = imported(there).flows
    assert sorted(flows.categories("source_name").texts) == ["node2", "node3"]
    columns = ("source", "destination", "size_bytes", "start_ps", "fct_ps", "ideal_fct_ps")
    lines = []
    for row in zip(*(flows.numbers(name).tolist() for name in columns), strict=True):
        source, destination, size, start, fct, ideal = (int(value) for value in row)
        # Host n has the address 11.0.n.1; host 0 of incast is node 1.
        ends = [f"0b00{host + 1:02x}01" for host in (source, destination)]
        times = [2_000_000_000 + start // 1000, fct // 1000, ideal // 1000]
        lines.append(" ".join(map(str, [*ends, 10_000, 100, size, *times])))
    (there / "fct.txt").write_text("\n".join(lines) + "\n")
    validation = incast.validate.ns3_recording(there / "config.txt", there / "fct.txt")
    compared = validation.outcomes[0].flows
    assert (compared.flows, compared.missing, compared.exact) == (2, 0, 1.0)
    shifted = (there / "fct.txt").read_text().replace("0b000201", "0b000301")
    (there / "fct.txt").write_text(shifted)
    validation = incast.validate.ns3_recording(there / "config.txt", there / "fct.txt")
    assert validation.outcomes[0].flows.missing == 2
