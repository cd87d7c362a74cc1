"""What to add to a scenario for a chart that has no data."""

__all__ = ["EACH_FLOW", "FLOWS", "PAUSES", "QUEUES"]

QUEUES = "Queues were not sampled. Add to the scenario: [measure] queues = …"
FLOWS = "Flows were not sampled. Add to the scenario: [measure] flows = …"
EACH_FLOW = "Flows were not sampled one by one. Add to the scenario: [measure] flows = …"
PAUSES = "Pauses were not sampled. Add to the scenario: [measure] pauses = …"
