"""`incast import graph` and `incast import astra-sim`."""

import pytest
from graph_files import GML
from incast import cli

NETWORK = "topology: [ Switch ]\nnpus_count: [ 4 ]\nbandwidth: [ 50.0 ]\nlatency: [ 500.0 ]\n"


@pytest.fixture
def command(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    def run(*arguments, code=0):
        assert cli.main(list(arguments)) == code
        printed = capsys.readouterr()
        return printed.out + printed.err

    return run


def test_a_graph_becomes_two_files(command, tmp_path):
    (tmp_path / "net.gml").write_text(GML)
    given = ("import", "graph", "net.gml", "--rate", "1Gbps", "--delay", "2ms", "-o", "net.toml")
    account = command(*given, "--hosts", "2", "--cc", "hpcc")
    assert "LinkSpeedRaw" in account
    assert "2 hosts at each switch" in account
    assert 'algorithm = "hpcc"' in (tmp_path / "net.toml").read_text()
    assert (tmp_path / "net.graph").read_text().startswith("# From net.gml: 3 switches, 9 links.")
    # The same file may be written again; a changed network is not replaced.
    command(*given, "--hosts", "2", "--cc", "hpcc")
    (tmp_path / "net.graph").write_text("# mine\n")
    assert "exists already" in command(*given, code=2)
    command(*given, "--force")
    assert "# mine" not in (tmp_path / "net.graph").read_text()


def test_what_is_missing_is_asked_for(command, tmp_path):
    (tmp_path / "net.gml").write_text(GML)
    told = command("import", "graph", "net.gml", "-o", "net.toml", code=2)
    assert "net.gml: 1 link has no rate, of 3; say it for them, e.g. `--rate 10Gbps`" in told
    assert not (tmp_path / "net.toml").exists()
    told = command("import", "graph", "net.gml", "-o", "net.toml", "--hosts", "no", code=2)
    assert "`no` is not a number of hosts" in told


def test_a_network_of_astra_sim_becomes_two_files(command, tmp_path):
    (tmp_path / "network.yml").write_text(NETWORK)
    account = command("import", "astra-sim", "network.yml", "-o", "astra.toml")
    assert "GB of 2³⁰ bytes" in account
    assert (tmp_path / "astra.graph").read_text().count("link ") == 4


def test_a_file_with_an_output_becomes_its_scenario(command, tmp_path):
    (tmp_path / "net.gml").write_text(GML)
    given = ("import", "net.gml", "-o", "net.toml")
    told = command(*given, code=2)
    assert "net.gml: 1 link has no rate, of 3; say it for them, e.g. `--rate 10Gbps`" in told
    account = command(*given, "--rate", "10Gbps", "--delay", "2ms", "--hosts", "2")
    assert "2 hosts at each switch" in account
    assert account.endswith("scenario  net.toml\nnetwork  net.graph\n")
    assert 'algorithm = "dctcp"' in (tmp_path / "net.toml").read_text()
    (tmp_path / "network.yml").write_text(NETWORK)
    command("import", "network.yml", "-o", "astra.toml", "--cc", "hpcc")
    assert 'algorithm = "hpcc"' in (tmp_path / "astra.toml").read_text()


def test_a_file_that_cannot_be_read_says_why(command, tmp_path):
    (tmp_path / "network.yml").write_text(NETWORK.replace("50.0", "tbd"))
    told = command("import", "network.yml", "-o", "astra.toml", code=2)
    assert "`tbd` is no bandwidth; give GB/s, e.g. 50.0" in told
    assert not (tmp_path / "astra.toml").exists()
