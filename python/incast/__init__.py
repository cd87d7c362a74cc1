"""incast: a packet-level laboratory for congestion control in datacenter networks."""

from incast import papers, validate
from incast._core import __version__
from incast.campaign.campaign import CampaignInterrupted
from incast.campaign.comparing import compare
from incast.campaign.watch import Watch
from incast.comparison import Comparison
from incast.errors import (
    AlgorithmError,
    ClusterError,
    ColumnError,
    Error,
    ImportFileError,
    LabelError,
    PaperError,
    ResultsError,
    RunError,
    ScenarioError,
    StudyError,
)
from incast.experiment import Interrupted, StallError, run
from incast.importing import Imported, import_hpcc_ns3, import_htsim
from incast.registry import (
    algorithms,
    charts,
    measures,
    parameter_sets,
    parts,
    profiles,
    topologies,
    workloads,
)
from incast.results import Results, load
from incast.results_folder import UnstoredError
from incast.scenario import Scenario, schema, shipped
from incast.study.sweep import Sweep, sweep
from incast.table import Table

__all__ = [
    "AlgorithmError",
    "CampaignInterrupted",
    "ClusterError",
    "ColumnError",
    "Comparison",
    "Error",
    "ImportFileError",
    "Imported",
    "Interrupted",
    "LabelError",
    "PaperError",
    "Results",
    "ResultsError",
    "RunError",
    "Scenario",
    "ScenarioError",
    "StallError",
    "StudyError",
    "Sweep",
    "Table",
    "UnstoredError",
    "Watch",
    "__version__",
    "algorithms",
    "charts",
    "compare",
    "import_hpcc_ns3",
    "import_htsim",
    "load",
    "measures",
    "papers",
    "parameter_sets",
    "parts",
    "profiles",
    "run",
    "schema",
    "shipped",
    "sweep",
    "topologies",
    "validate",
    "workloads",
]
