"""Comparisons with recorded results of other simulators, and between profiles."""

from incast.validate.ns3 import ns3, ns3_outcome, ns3_recording
from incast.validate.outcome import Outcome
from incast.validate.profiles import ProfileEffects, profiles
from incast.validate.uet import uet
from incast.validate.uet_validation import UetValidation
from incast.validate.validation import Validation

__all__ = [
    "Outcome",
    "ProfileEffects",
    "UetValidation",
    "Validation",
    "ns3",
    "ns3_outcome",
    "ns3_recording",
    "profiles",
    "uet",
]
