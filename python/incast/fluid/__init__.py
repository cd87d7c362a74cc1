"""Fluid models: rates as functions of time, without packets.

NumPy is enough as long as models have closed forms, which they then use; a solver would only make
them slower and less exact. Tests integrate the equations and compare.
"""

from incast.fluid import aimd
from incast.fluid.sampling import SamplingFrequency

__all__ = ["SamplingFrequency", "aimd"]
