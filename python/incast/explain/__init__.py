"""Why a flow took as long as it did: its FCT, split exactly along its critical path.

The scenario is run again, recording the causes of delay of the chosen flows
(`measure.packets.causes`). Then the FCT of each flow is split into parts that add up to it.
:mod:`recorded` reads the recording, and :mod:`journeys` follows packets back to their sender.
:mod:`critical_path` splits the time, and :mod:`explanation` has the answer.
"""
