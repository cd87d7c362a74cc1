"""AIMD on marks: one packet more per round trip, a part less when packets are marked."""

from dataclasses import dataclass

from incast.algorithm import Ack, Algorithm, Flow, Needs, SendLimit, Window


class MarkAimd(Algorithm):
    """One flow: a window, in bytes."""

    needs = Needs(ecn=True)

    @dataclass
    class Parameters:
        """What `[cc]` may set, with units."""

        additive_increase: Window = Window("1 packet")
        beta: float = 0.5

    def __init__(self, flow: Flow, parameters: Parameters) -> None:
        self.flow = flow
        self.beta = parameters.beta
        self.increase = parameters.additive_increase.in_bytes(flow)
        self.window = float(flow.bdp_bytes)
        self.decreased_up_to = 0

    def on_ack(self, now_ps: int, ack: Ack) -> None:
        if not ack.marked:
            self.window += self.increase * ack.newly_acked_bytes / self.window
        elif ack.next_expected > self.decreased_up_to:
            # Once per window of data.
            self.window *= 1 - self.beta
            self.decreased_up_to = ack.next_to_send
        self.window = max(self.window, self.flow.mtu_bytes)

    def limit(self) -> SendLimit:
        return SendLimit(window_bytes=self.window)
