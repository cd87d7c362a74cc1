"""Fluid models of logistic growth, LGC and DCTCP, compared with closed forms and values computed by
hand.
"""

import math

import numpy as np
import pytest
from incast.fluid import dctcp, lgc, logistic


def test_growth_solves_its_equation() -> None:
    # x(0) = 0.1, r = 0.5: at t = 2·ln 9 the exponential is 1/9, so x = 1/(1 + 9/9) = 1/2.
    assert logistic.growth(0.1, 0.5, np.array([0.0, 2 * math.log(9)])) == pytest.approx([0.1, 0.5])
    times = np.linspace(0, 20, 20_001)
    x = logistic.growth(0.1, 0.5, times)
    assert np.gradient(x, times)[1:-1] == pytest.approx(0.5 * (x * (1 - x))[1:-1], abs=1e-6)


def test_community_matrix_of_three() -> None:
    # S = 3: 5/3 on the diagonal, 2/3 beside it; eigenvalues 1, 1, 3; x* = 1/3.
    matrix = logistic.community(3)
    assert matrix == pytest.approx(np.array([[5, 2, 2], [2, 5, 2], [2, 2, 5]]) / 3)
    assert np.linalg.eigvalsh(matrix) == pytest.approx([1, 1, 3])
    assert logistic.equilibrium(matrix) == pytest.approx([1 / 3] * 3)


@pytest.mark.parametrize("species", [1, 2, 10, 50])
def test_competition_is_stable_at_equal_shares(species: int) -> None:
    # −r·x*·(eigenvalues of A): −r/S (S − 1 times) and −r.
    values = logistic.jacobian_eigenvalues(logistic.community(species), np.full(species, 0.5))
    expected = [-0.5 / species] * (species - 1) + [-0.5]
    assert values.real == pytest.approx(expected)
    assert values.imag == pytest.approx(0)


def test_one_species_grows_logistically() -> None:
    times, populations = logistic.competition([logistic.Stay(0)], rate=0.5, initial=0.01, end=30)
    assert populations[0] == pytest.approx(logistic.growth(0.01, 0.5, times), rel=1e-5)


def test_species_share_and_leave() -> None:
    stays = [logistic.Stay(0), logistic.Stay(10, 200), logistic.Stay(300)]
    times, populations = logistic.competition(stays, rate=0.5, initial=0.01, end=400)
    at = lambda time: populations[:, np.searchsorted(times, time)]  # noqa: E731
    assert at(190) == pytest.approx([0.5, 0.5, 0], abs=1e-3)
    assert at(290) == pytest.approx([1, 0, 0], abs=1e-3)
    assert at(395) == pytest.approx([0.5, 0, 0.5], abs=1e-3)


def test_equilibrium_of_the_fluid() -> None:
    assert lgc.equilibrium(5).share == pytest.approx(0.2)
    assert lgc.equilibrium(10, 3).load == pytest.approx(0.7)
    assert lgc.equilibrium(4, 6) == lgc.Equilibrium(1.0, 0.0)


def test_marked_share_is_that_of_m_d_1() -> None:
    # ρ = 0.5: 1 − 0.5·e^0.5 = 1 − 0.824361 = 0.175639; empty: 0, full: 1.
    assert lgc.marked_share(0.5) == pytest.approx(0.175639, abs=1e-6)
    assert (lgc.marked_share(0), lgc.marked_share(1)) == (0, 1)
    # A simulated M/D/1 queue: Lindley's recursion gives the wait before each arrival. If the wait
    # is longer than a service, another packet is waiting ahead.
    generator = np.random.default_rng(1)
    gaps = generator.exponential(1 / 0.8, 200_000)
    wait, behind = 0.0, 0
    for gap in gaps:
        wait = max(wait + 1 - gap, 0.0)
        behind += wait > 1
    assert behind / len(gaps) == pytest.approx(lgc.marked_share(0.8), abs=0.01)


def test_poisson_arrivals_stay_below_the_fair_share() -> None:
    for flows, ratio in [(5, 1), (20, 1), (10, 6)]:
        stays = lgc.poisson_equilibrium(flows, ratio)
        assert stays.share < lgc.equilibrium(flows, ratio).share
        utilisation = flows * stays.share / ratio
        assert 1 - stays.share == pytest.approx(lgc.marked_share(utilisation), abs=1e-9)
    # S = 5 by hand: (1 − 5x)·e^(5x) = x at x = 0.18533: 0.07335 · 2.5263 = 0.1853.
    assert lgc.poisson_equilibrium(5).share == pytest.approx(0.18533, abs=1e-5)
    # A background of 40 % leaves 60 % of the link; the flows take less than that.
    assert lgc.poisson_equilibrium(10, 1, background=0.4).share < 0.06


def test_a_flow_alone_grows_as_the_logistic_function() -> None:
    # A link of twice the capacity marks nothing.
    course = lgc.simulate(1, growth=0.3, initial=0.006, end=40, ratio=2, steps=1000)
    expected = logistic.growth(0.006, 0.3, course.times)
    assert course.shares[0] == pytest.approx(expected, rel=2e-3)
    assert course.queue.max() == 0 == course.loads.max()


def test_the_fluid_comes_near_its_equilibrium() -> None:
    for flows, growth in [(5, 0.1), (20, 0.1), (5, 0.02)]:
        course = lgc.simulate(flows, growth=growth, initial=0.006, end=600)
        late = course.times > 300
        assert course.shares[:, late].mean() == pytest.approx(1 / flows, rel=0.03)
        assert course.loads[:, late].mean() == pytest.approx(1 - 1 / flows, rel=0.02)


def test_late_flows_catch_up_whatever_their_delay() -> None:
    course = lgc.simulate(2, growth=0.1, initial=0.01, end=600, delays=[0.7, 1.3], starts=[0, 50])
    assert course.shares[1, course.times < 49].max() == 0
    late = course.shares[:, course.times > 400].mean(axis=1)
    assert late[0] == pytest.approx(late[1], rel=0.02)


@pytest.mark.parametrize(("flows", "growth"), [(5, 0.1), (5, 0.3), (20, 0.1), (1, 0.2)])
def test_characteristic_roots_are_roots(flows: int, growth: float) -> None:
    stays = lgc.poisson_equilibrium(flows)
    utilisation = flows * stays.share
    decay = growth * stays.share
    gain = growth * stays.share * flows * utilisation * math.exp(utilisation)
    roots = lgc.characteristic_roots(flows, growth)
    together = [root for root in roots if not np.isclose(root, -decay) or flows == 1]
    assert together
    for root in together:
        window = (np.exp(-root) - np.exp(-2 * root)) / root
        assert abs(root + decay + gain * window) < 1e-6
    assert roots[0].real < 0
    assert (list(roots.real) == sorted(roots.real, reverse=True)) is True


def test_growth_beyond_the_largest_stable_one_is_unstable() -> None:
    largest = lgc.largest_stable_growth(5)
    assert lgc.characteristic_roots(5, 0.95 * largest)[0].real < 0
    assert lgc.characteristic_roots(5, 1.05 * largest)[0].real > 0
    # Integrating the linear system agrees: y' = −a·y − b·∫ of y over (t − 2, t − 1).
    assert _dies_out(5, 0.9 * largest)
    assert not _dies_out(5, 1.1 * largest)


def _dies_out(flows: int, growth: float) -> bool:
    share = lgc.poisson_equilibrium(flows).share
    gain = growth * share * flows * flows * share * math.exp(flows * share)
    steps = 100
    y = np.zeros(400 * steps)
    y[: 2 * steps] = 1
    total = np.zeros(len(y) + 1)
    for now in range(len(y) - 1):
        total[now + 1] = total[now] + y[now] / steps
        if now >= 2 * steps:
            late = total[now - steps] - total[now - 2 * steps]
            y[now + 1] = y[now] - (growth * share * y[now] + gain * late) / steps
    return bool(np.abs(y[-50 * steps :]).max() < np.abs(y[50 * steps : 100 * steps]).max())


LINK = dctcp.Link(packets_per_second=825_627, base_rtt=200e-6, threshold=65)


def test_saw_tooth_by_hand() -> None:
    # C·d + K = 165.125 + 65 = 230.125; N = 5: W* = 46.025, α = √(2/46.025) = 0.20846,
    # A = √(10 · 230.125)/2 = 23.986, K + N = 70.
    tooth = dctcp.saw_tooth(5, LINK)
    assert tooth.window == pytest.approx(46.025, abs=1e-3)
    assert tooth.alpha == pytest.approx(0.20846, abs=1e-5)
    assert tooth.amplitude == pytest.approx(23.986, abs=1e-3)
    assert tooth.queue_max == 70
    # 1.386/√(2 · 230.125) = 0.0646 > 1/16.
    assert dctcp.largest_gain(LINK) == pytest.approx(0.0646, abs=1e-4)


def test_the_fluid_makes_the_saw_tooth() -> None:
    course = dctcp.simulate(5, LINK, end=0.06)
    late = course.times > 0.03
    tooth = dctcp.saw_tooth(5, LINK)
    assert course.window[late].mean() == pytest.approx(tooth.window, rel=0.1)
    assert course.alpha[late].mean() == pytest.approx(tooth.alpha, rel=0.15)
    assert course.queue[late].max() == pytest.approx(tooth.queue_max, rel=0.1)
    swing = np.ptp(course.queue[late])
    assert swing == pytest.approx(tooth.amplitude, rel=0.35)


def test_a_flow_may_update_once_in_an_interval() -> None:
    """A flow alone, r = 0.5, from 0.1: 0.1 + 0.5·0.1·0.9 = 0.145, then 0.145 + 0.5·0.145·0.855 =
    0.2069875.
    """
    course = lgc.simulate(1, growth=0.5, initial=0.1, end=3, phases=[0.25], steps=4)
    assert course.shares[0][:2] == pytest.approx(0.1)
    assert course.shares[0][2:6] == pytest.approx(0.145)
    assert course.shares[0][6:10] == pytest.approx(0.2069875)


def test_the_printed_queue_is_the_excess() -> None:
    """Two flows of 0.8 on a link of 1, before any feedback: the excess is 0.6, however long it
    lasts.
    """
    course = lgc.simulate(2, growth=1e-9, initial=0.8, end=1, queue="excess")
    assert course.queue[1:] == pytest.approx(0.6)
    integral = lgc.simulate(2, growth=1e-9, initial=0.8, end=1)
    assert integral.queue[-1] == pytest.approx(0.6)
    assert integral.queue[50] == pytest.approx(0.3)


def test_marked_as_arrivals_are_the_fluid_meets_its_poisson_equilibrium() -> None:
    """The link never fills, so there is no queue."""
    course = lgc.simulate(5, growth=0.1, initial=0.006, end=400, marks="arrivals", steps=25)
    expected = lgc.poisson_equilibrium(5)
    assert course.shares[:, -1] == pytest.approx(expected.share, rel=1e-4)
    assert course.loads[:, -1] == pytest.approx(expected.load, rel=1e-4)
    assert course.queue[course.times > 200].max() == 0


def by_steps(flows, *, growth, initial, end, ratio, delays, starts, phases, queue, marks, steps):
    """Eqs. (10) to (13) as written, step by step."""
    step, count = 1 / steps, round(end * steps)
    lag = [round(delay * steps) for delay in delays]
    x = [initial if round(start * steps) <= 0 else 0.0 for start in starts]
    marked, waiting, shares, loads = [0.0], [0.0], [x], []
    for now in range(count):
        load = [
            (marked[max(now - late, 0)] - marked[max(now - 2 * late, 0)]) / (late * step)
            for late in lag
        ]
        excess = float(np.sum(x)) - ratio
        waiting.append(max(waiting[now] + step * excess if queue == "integral" else excess, 0.0))
        early = marks == "arrivals" and excess < 0
        share = lgc.marked_share(1 + excess / ratio) if early else 0.0
        marked.append(marked[now] + step * (1.0 if waiting[now + 1] > 0 else share))
        after = []
        for flow in range(flows):
            updates = phases is None or now % steps == round(phases[flow] * steps) % steps
            part = (step if phases is None else 1.0) if updates else 0.0
            grown = x[flow] + part * growth * x[flow] * (1 - x[flow] - load[flow])
            after.append(max(grown, initial) if now + 1 >= round(starts[flow] * steps) else 0.0)
        x = after
        shares.append(x)
        loads.append(load)
    return np.array(shares).T, np.array([*loads, loads[-1]]).T, np.array(waiting)


@pytest.mark.parametrize("seed", range(24))
def test_the_fluid_is_that_of_its_equations(seed):
    """Both agree to the last bit, for any delays of marks and any times at which flows begin and
    update.
    """
    random = np.random.default_rng(seed)
    flows = int(random.integers(1, 12))
    options = {
        "growth": random.uniform(0.05, 1.5),
        "initial": 0.006,
        "end": random.choice([7.0, 20.33]),
        "ratio": random.choice([0.5, 1.0, 2.0]),
        "delays": list(random.uniform(0.3, 2, flows)),
        "starts": list(random.uniform(0, 4, flows) * random.integers(0, 2)),
        "phases": list(random.uniform(0, 1, flows)) if random.integers(0, 2) else None,
        "queue": random.choice(["integral", "excess"]),
        "marks": random.choice(["queue", "arrivals"]),
        "steps": int(random.choice([25, 40])),
    }
    course = lgc.simulate(flows, **options)
    shares, loads, queue = by_steps(flows, **options)
    assert np.array_equal(course.shares, shares)
    assert np.array_equal(course.loads, loads)
    assert np.array_equal(course.queue, queue)
