"""ASTRA-sim asks four things of a network: `sim_send`, `sim_recv`, `sim_schedule`, `sim_get_time`
(`AstraNetworkAPI`). Here they are on an incast network, under a ring all-reduce that knows nothing
else.

    python examples/live/astra_sim.py

The same collective, as incast has it itself (`kind = "collective"`), takes the same time.
"""

import heapq
from collections import defaultdict, deque
from collections.abc import Callable
from itertools import count

import incast

Callback = Callable[[], None]


class AstraNetwork:
    """The four calls. Times are in ns, as ASTRA-sim has them; a rank is a host."""

    def __init__(self, network: incast.Network) -> None:
        self.network = network
        self._scheduled: list[tuple[int, int, Callback]] = []
        self._order = count()
        self._sent: dict[int, tuple[tuple[int, int, int], Callback]] = {}
        self._arrived: defaultdict[tuple[int, int, int], int] = defaultdict(int)
        self._awaited: defaultdict[tuple[int, int, int], deque[Callback]] = defaultdict(deque)

    def sim_get_time(self) -> float:
        """The time, in ns."""
        return self.network.now_ps / 1000

    def sim_schedule(self, delta_ns: float, callback: Callback) -> None:
        """Calls back after this time."""
        at = self.network.now_ps + round(delta_ns * 1000)
        heapq.heappush(self._scheduled, (at, next(self._order), callback))

    def sim_send(self, src: int, dst: int, size: int, tag: int, callback: Callback) -> None:
        """Sends; calls back when all is acknowledged."""
        flow = self.network.start(src, dst, size)
        self._sent[flow] = ((src, dst, tag), callback)

    def sim_recv(self, src: int, dst: int, tag: int, callback: Callback) -> None:
        """Calls back when a message has arrived."""
        message = (src, dst, tag)
        if self._arrived[message]:
            self._arrived[message] -= 1
            callback()
        else:
            self._awaited[message].append(callback)

    def run(self) -> None:
        """Until nothing is left to do."""
        while True:
            until = self._scheduled[0][0] if self._scheduled else None
            if self.network.advance(until, halt="any"):
                for flow, _ in self.network.received():
                    message, _ = self._sent[flow]
                    if self._awaited[message]:
                        self._awaited[message].popleft()()
                    else:
                        self._arrived[message] += 1
                for flow, _ in self.network.completed():
                    self._sent.pop(flow)[1]()
            elif self._scheduled:
                heapq.heappop(self._scheduled)[2]()
            else:
                return


def ring_all_reduce(astra: AstraNetwork, ranks: int, data: int) -> None:
    """Each rank sends a chunk on when it has one, 2 (n - 1) times."""

    def step(rank: int, number: int) -> None:
        if number == 2 * (ranks - 1):
            return
        before, after = (rank - 1) % ranks, (rank + 1) % ranks
        astra.sim_send(rank, after, data // ranks, number, lambda: None)
        astra.sim_recv(before, rank, number, lambda: step(rank, number + 1))

    for rank in range(ranks):
        step(rank, 0)


def main(ranks: int = 8, data: int = 8_000_000) -> tuple[float, float]:
    """Prints, and gives, how long it takes here and as incast's own collective, in us."""
    scenario = {
        "network": {"topology": {"kind": "star", "hosts": ranks}},
        "cc": {"algorithm": "hpcc"},
    }
    astra = AstraNetwork(incast.Network(scenario))
    ring_all_reduce(astra, ranks, data)
    astra.run()
    here = float(astra.network.results()["start_ps"].max())

    collective = {"kind": "collective", "operation": "all-reduce", "data": f"{data}B"}
    own = incast.run({**scenario, "traffic": [collective]})
    there = float(own["start_ps"].max())
    for name, start_ps in [("four calls", here), ("collective", there)]:
        print(f"{name}  the last chunk leaves after {start_ps / 1e6:.6f} us")
    return here / 1e6, there / 1e6


if __name__ == "__main__":
    main()
