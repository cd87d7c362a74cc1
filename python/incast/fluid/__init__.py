"""Fluid models: rates as functions of time, without packets.

Models with a closed form use it; tests compare it with the integrated equations. Other models are
integrated by SciPy. If feedback is delayed and jumps, Euler's method is used, with steps far
shorter than the delay.
"""

from incast.fluid import aimd, dctcp, lgc, logistic
from incast.fluid.sampling import SamplingFrequency

__all__ = ["SamplingFrequency", "aimd", "dctcp", "lgc", "logistic"]
