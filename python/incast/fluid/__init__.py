"""Fluid models: rates as functions of time, without packets.

Models with closed forms use them; tests integrate the equations and compare. The others are
integrated: by SciPy, or, where feedback is late and jumps, by Euler's method with steps far shorter
than the delay.
"""

from incast.fluid import aimd, dctcp, lgc, logistic
from incast.fluid.sampling import SamplingFrequency

__all__ = ["SamplingFrequency", "aimd", "dctcp", "lgc", "logistic"]
