"""A small loop of LLM serving on a network: prefill hosts answer requests by sending the KV cache
of each prompt to a decode host, which begins when it has all of it.

    python examples/live/serving.py [hpcc dcqcn swift ...]

What the network is asked for is the time of each transfer, under the load of all others; what the
loop adds is that a slow transfer delays the tokens after it. Prompts, speeds and sizes are made up,
of the order of a model of 70 thousand million parameters on eight GPUs a host.
"""

import heapq
import random
import sys
from itertools import count

import incast
import numpy as np

PREFILL, DECODE = range(8), range(8, 16)  # hosts, two leaves each
KV_BYTES = 320_000  # of a token
PREFILL_PS = 40_000_000  # of a token: 40 us
REQUESTS = 100
EVERY_PS = 7_000_000_000  # between two requests, on average: 7 ms

SCENARIO = {
    "run": {"name": "serving"},
    "network": {
        "topology": {"kind": "leaf-spine", "leaves": 4, "spines": 2, "hosts_per_leaf": 4},
        "packets": {"mtu": "4000B"},
    },
    "traffic": [{"kind": "live", "name": "kv"}],
}


def serve(algorithm: str, seed: int = 1) -> tuple[list[float], list[float]]:
    """Serves some requests; gives times of transfers and times to the first token, in ms."""
    draw = random.Random(seed)
    network = incast.Network(SCENARIO, cc=algorithm)
    events: list[tuple[int, int, str, dict]] = []  # time, order, what, request
    order = count()

    def at(time_ps: float, what: str, request: dict) -> None:
        heapq.heappush(events, (round(time_ps), next(order), what, request))

    time_ps = 0.0
    for _ in range(REQUESTS):
        time_ps += draw.expovariate(1 / EVERY_PS)
        at(time_ps, "arrives", {"arrival": time_ps, "tokens": draw.randint(200, 2_000)})

    free_at = dict.fromkeys(PREFILL, 0.0)
    on_the_way: dict[int, dict] = {}
    transfers, first_tokens = [], []
    while events or on_the_way:
        # The network goes on to what happens next: here, or there.
        if network.advance(events[0][0] if events else None, halt="received"):
            for flow, time_ps in network.received():
                request = on_the_way.pop(flow)
                transfers.append((time_ps - request["sent"]) / 1e9)
                first_tokens.append((time_ps - request["arrival"]) / 1e9)
            continue
        now, _, what, request = heapq.heappop(events)
        if what == "arrives":
            host = min(PREFILL, key=lambda each: free_at[each])
            begins = max(now, free_at[host])
            free_at[host] = begins + request["tokens"] * PREFILL_PS
            at(free_at[host], "prefilled", request | {"host": host})
        else:
            size = request["tokens"] * KV_BYTES
            flow = network.start(request["host"], draw.choice(DECODE), size)
            on_the_way[flow] = request | {"sent": now}
    return transfers, first_tokens


def main(algorithms: list[str]) -> None:
    """Prints a line for each algorithm."""
    print(f"{'':8}{'KV transfer, ms':>24}{'first token, ms':>24}")
    print(f"{'':8}" + f"{'mean':>8}{'p50':>8}{'p99':>8}" * 2)
    for algorithm in algorithms:
        line = f"{algorithm:8}"
        for times in serve(algorithm):
            p50, p99 = (incast.Results.percentile(times, each) for each in (50, 99))
            line += f"{np.mean(times):8.1f}{p50:8.1f}{p99:8.1f}"
        print(line)


if __name__ == "__main__":
    main(sys.argv[1:] or ["hpcc", "dcqcn", "swift"])
