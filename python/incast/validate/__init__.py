"""Comparisons with the recorded results of other simulators."""

from incast.validate.ns3 import ns3, ns3_outcome, ns3_recording
from incast.validate.outcome import Outcome, Validation

__all__ = ["Outcome", "Validation", "ns3", "ns3_outcome", "ns3_recording"]
