"""Why a flow took as long as it did: its FCT, split exactly along its critical path.

A run is its scenario. So the scenario is run again with the causes of the chosen flows
(`measure.packets.causes`), and the FCT of each is split without a rest. :mod:`recorded` reads what
was recorded, and :mod:`journeys` follows packets back to their sender. :mod:`critical_path` splits
the time, and :mod:`explanation` has the answer.
"""
