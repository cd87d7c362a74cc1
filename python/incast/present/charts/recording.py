"""Settings that record the data of charts, for charts without data."""

__all__ = ["EACH_FLOW", "FLOWS", "PAUSES", "QUEUES"]

_TOO_SHORT = "The run ended before the first sample. To sample more often, add to the scenario:\n"

QUEUES = _TOO_SHORT + '[measure.queues]\nevery = "100ns"'
FLOWS = _TOO_SHORT + '[measure.flows]\nevery = "1us"'
PAUSES = QUEUES
EACH_FLOW = (
    "Flows were not recorded one by one. To record them, add to the scenario:\n"
    '[measure.flows]\nwhich = "all"'
)
