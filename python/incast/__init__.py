"""incast: a packet-level laboratory for congestion control in datacenter networks.

    import incast

    results = incast.run("scenario.toml", seed=7)  # or a dict of the same shape
    results                                        # in a notebook: key figures and charts
    results["slowdown"]                            # a column of the flows: a NumPy array
    results.plot_queue().savefig("queue.pdf")      # a matplotlib figure

Scenarios      `Scenario`, `run`, `compare`, `sweep`, `nccl_tests`; `shipped`, `schema`
Live           `Network`, driven by a program that starts flows and answers their ends
Results        `Results`, `Comparison`, `Sweep`, `NcclTests`, `Table`; `load`
What there is  `algorithms`, `parts`, `parameter_sets`, `topologies`, `traffic_kinds`, `workloads`,
               `profiles`, `charts`, `measures`
Of others      `import_hpcc_ns3`, `import_htsim`, `validate`, `papers`
Your own       `incast.algorithm`, for algorithms in Python
Errors         `Error` is the class of all, each with file, line, key and what would be right

Numbers have their unit in their name: `fct_ps`, `size_bytes`, `rate_bps`. Settings carry theirs:
"10us", "100Gbps", "1MB"; KB is 1000 bytes.
"""

from incast import papers, validate
from incast._core import __version__
from incast.campaign.campaign import CampaignInterrupted
from incast.campaign.comparing import compare
from incast.campaign.watch import Watch
from incast.collectives.measured import NcclTests
from incast.collectives.running import NcclTestsInterrupted, nccl_tests
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
from incast.network import FlowEnd, Network, NetworkStalledError
from incast.readable_signatures import make_readable
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
from incast.scenario import Scenario, schema, shipped, traffic_kinds
from incast.study.sweep import Sweep, sweep
from incast.table import Table

__all__ = [
    "AlgorithmError",
    "CampaignInterrupted",
    "ClusterError",
    "ColumnError",
    "Comparison",
    "Error",
    "FlowEnd",
    "ImportFileError",
    "Imported",
    "Interrupted",
    "LabelError",
    "NcclTests",
    "NcclTestsInterrupted",
    "Network",
    "NetworkStalledError",
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
    "nccl_tests",
    "papers",
    "parameter_sets",
    "parts",
    "profiles",
    "run",
    "schema",
    "shipped",
    "sweep",
    "topologies",
    "traffic_kinds",
    "validate",
    "workloads",
]

make_readable([globals()[name] for name in __all__])
