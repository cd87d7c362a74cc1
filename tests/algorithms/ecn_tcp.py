"""TCP with ECN in Python: the rules of crates/incast-cc/src/ecn_tcp.rs and aimd.rs, so that every
run has the fingerprint of `ecn-tcp`.
"""

from dataclasses import dataclass

from incast.algorithm import Algorithm, Needs, SendLimit, Window


class EcnTcp(Algorithm):
    needs = Needs(ecn=True, per_packet_ack=True)

    @dataclass
    class Parameters:
        decrease: float = 0.5
        additive_increase: Window = Window("1 packet")
        initial_window: Window = Window("10 packets")
        min_window: Window = Window("2 packets")

    def __init__(self, flow, parameters):
        self.mss = float(flow.mtu_bytes)
        self.fraction = parameters.decrease
        self.increase = parameters.additive_increase.in_bytes(flow)
        self.least = parameters.min_window.in_bytes(flow)
        self.window = max(parameters.initial_window.in_bytes(flow), self.least)
        self.slow_start_until = float("inf")
        self.sent = 0
        self.decrease_end = None

    def on_sent(self, now_ps, sent):
        self.sent = max(self.sent, sent.next_to_send)

    def on_ack(self, now_ps, ack):
        if self.decrease_end is not None and ack.next_expected > self.decrease_end:
            self.decrease_end = None
        if self.decrease_end is not None:
            return
        if ack.marked:
            self.cut(self.fraction)
        else:
            self.grow(ack)

    def grow(self, ack):
        acked = float(ack.newly_acked_bytes)
        in_flight = max(self.sent - ack.next_expected, 0) + acked
        if self.window < self.slow_start_until:
            if 2 * in_flight > self.window:
                self.window += acked
        elif in_flight + self.mss > self.window:
            self.window += self.increase * acked / self.window

    def cut(self, fraction):
        self.window = max(self.window * fraction, self.least)
        self.slow_start_until = self.window
        self.decrease_end = self.sent

    def on_loss(self, now_ps, loss):
        if loss.kind == "timeout":
            self.cut(0.5)
            self.decrease_end = None
            self.window = self.mss
        elif self.decrease_end is None:
            self.cut(0.5)

    def limit(self):
        room = max(self.window, self.mss) - self.mss
        return SendLimit(window_bytes=int(room) + 1)
