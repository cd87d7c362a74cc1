"""Sizes, counts and factors, as in nccl-tests."""

import incast
import pytest
from incast.collectives.networks import built_for, host_numbers
from incast.collectives.operations import OPERATIONS, operation
from incast.collectives.sizes import byte_count, measured_sizes, sizes


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("8", 8),
        (8, 8),
        ("1K", 1024),
        ("32m", 32 << 20),
        ("1G", 1 << 30),
        ("2T", 2 << 40),
        ("1.5K", 1536),
        ("1KB", 1000),
        ("4 KiB", 4096),
        ("1GB", 10**9),
        ("64B", 64),
    ],
)
def test_a_size_is_read(text, expected):
    assert byte_count(text, "size") == expected


@pytest.mark.parametrize("text", ["", "x", "1KBB", "-1", "0", "1.5", "1e3", "9" * 30, True, None])
def test_what_is_no_size_is_refused(text):
    with pytest.raises(incast.ScenarioError, match=r"^max_bytes: `.*` is "):
        byte_count(text, "max_bytes")


def test_too_large_a_size_is_refused():
    with pytest.raises(incast.ScenarioError, match=r"`2000T` is too much; give at most 1024T"):
        byte_count("2000T", "max_bytes")


def test_sizes_go_by_a_factor_or_a_step():
    assert sizes("8", "64", 2, None) == [8, 16, 32, 64]
    assert sizes("8", "100", 4, None) == [8, 32]
    assert sizes("1M", "4M", 2, "1M") == [1 << 20, 2 << 20, 3 << 20, 4 << 20]
    assert sizes("8", "8", 2, None) == [8]
    # With a step the factor has no effect, as in nccl-tests.
    assert sizes("8", "24", 1, "8") == [8, 16, 24]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("8", "4", 2, None), "max_bytes: `4` is less than the smallest size, `8`"),
        (("8", "64", 1, None), "factor: with a factor of 1 no size is larger than the first"),
        (("8", "1M", 2, "1"), "step: there are more than 1000 sizes; give a larger step"),
    ],
)
def test_sizes_without_end_or_beginning_are_refused(arguments, sentence):
    with pytest.raises(incast.ScenarioError) as refused:
        sizes(*arguments)
    assert str(refused.value).startswith(sentence)


@pytest.mark.parametrize(
    ("name", "size", "expected"),
    [
        # Whole elements of 4 B.
        ("all-reduce", 1002, (1000, 250)),
        ("broadcast", 1024, (1024, 256)),
        ("send-receive", 8, (8, 2)),
        # A part for each of 8 ranks, a multiple of 16 B: 1000 / 8 = 125 B gives 112 B = 28 floats.
        ("all-gather", 1000, (896, 28)),
        ("reduce-scatter", 1024, (1024, 32)),
        ("all-to-all", 127, (0, 0)),
        ("all-to-all", 128, (128, 4)),
    ],
)
def test_sizes_are_rounded_as_in_nccl_tests(name, size, expected):
    assert OPERATIONS[name].rounded(size, 4, 8) == expected


def test_parts_of_other_types_are_multiples_of_16_bytes_too():
    assert OPERATIONS["all-gather"].rounded(1000, 1, 8) == (896, 112)
    assert OPERATIONS["all-gather"].rounded(1000, 8, 8) == (896, 14)


def test_sizes_that_round_to_nothing_are_left_out_and_equal_ones_are_measured_once():
    measured, left_out = measured_sizes([64, 128, 136, 256], OPERATIONS["all-gather"], 4, 8)
    assert (measured, left_out) == ({128: 4, 256: 8}, [64])
    with pytest.raises(incast.ScenarioError, match="give at least 128"):
        measured_sizes([64], OPERATIONS["all-gather"], 4, 8)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("all_reduce_perf", "all-reduce"),
        ("allreduce", "all-reduce"),
        ("All-Gather", "all-gather"),
        ("alltoall_perf", "all-to-all"),
        ("reduce_scatter_perf", "reduce-scatter"),
        ("sendrecv_perf", "send-receive"),
        ("broadcast", "broadcast"),
        ("reduce_perf", "reduce"),
    ],
)
def test_operations_have_the_names_of_nccl_tests_too(name, expected):
    assert operation(name).name == expected


def test_an_unknown_operation_is_refused():
    with pytest.raises(incast.ScenarioError, match="did you mean `all-reduce`"):
        operation("allreduc")


def test_bus_factors():
    """From doc/PERFORMANCE.md of nccl-tests, for 4 ranks: 2·3/4 for all-reduce, 3/4 where each rank
    has a part, else 1.
    """
    factors = {name: each.bus_factor(4) for name, each in OPERATIONS.items()}
    assert factors == {
        "all-reduce": 1.5,
        "reduce-scatter": 0.75,
        "all-gather": 0.75,
        "all-to-all": 0.75,
        "broadcast": 1,
        "reduce": 1,
        "send-receive": 1,
    }


def test_hosts_are_numbers_and_ranges():
    assert host_numbers("0,4,8") == [0, 4, 8]
    assert host_numbers("0-2, 7 - 8,3") == [0, 1, 2, 7, 8, 3]
    assert host_numbers([3, 1]) == [3, 1]
    for wrong in ("", "a", "1-", "5-3", "0,0", "0-3,2", "0-999999999"):
        with pytest.raises(incast.ScenarioError, match=r"^hosts: "):
            host_numbers(wrong)


@pytest.mark.parametrize(
    ("ranks", "leaves", "ports"),
    [(9, 2, 8), (64, 8, 8), (128, 16, 8), (129, 9, 16), (512, 32, 16), (2048, 64, 32)],
)
def test_the_built_network_has_full_bisection(ranks, leaves, ports):
    """Leaves have p ports to hosts and p to the p spines; spines have 2p ports."""
    topology = built_for(ranks)["network"]["topology"]
    assert topology["kind"] == "leaf-spine"
    assert (topology["leaves"], topology["hosts_per_leaf"]) == (leaves, ports)
    assert topology["spines"] == ports
    assert topology["spine_rate"] == topology["host_rate"]
    assert leaves * ports >= ranks
    assert leaves <= 2 * ports


def test_few_ranks_have_one_switch():
    topology = built_for(8)["network"]["topology"]
    assert (topology["kind"], topology["hosts"]) == ("star", 8)
