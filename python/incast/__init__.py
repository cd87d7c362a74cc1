"""incast: a packet-level laboratory for congestion control in datacenter networks.

    import incast

    results = incast.run("scenario.toml", seed=7)  # or a dict of the same shape
    results                                        # in a notebook: key figures and charts
    results["slowdown"]                            # a column of the flows: a NumPy array
    results.plot_queue().savefig("queue.pdf")      # a matplotlib figure

Scenarios      `Scenario`, `run`, `compare`, `sweep`, `nccl_tests`; `shipped`, `schema`
Live           `Network`, driven by a program that starts flows and answers their ends
Results        `Results`, `Comparison`, `PairedComparison`, `Sweep`, `NcclTests`, `Table`; `load`
What there is  `algorithms`, `parts`, `parameter_sets`, `balancers`, `topologies`, `traffic_kinds`,
               `workloads`, `profiles`, `charts`, `measures`
Of others      `recognise`, `recognise_folder`, `import_hpcc_ns3`, `import_htsim`,
               `import_htsim_uec`, `import_msccl`, `import_sizes`, `import_graph`,
               `import_astra_sim`; `validate`, `papers`
Your own       `incast.algorithm`, for algorithms in Python
Errors         `Error` is the class of all, each with file, line, key and what would be right

Numbers have their unit in their name: `fct_ps`, `size_bytes`, `rate_bps`. Settings carry theirs:
"10us", "100Gbps", "1MB"; KB is 1000 bytes.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from incast import algorithm as algorithm, papers as papers, validate as validate
    from incast._core import __version__ as __version__
    from incast.campaign.campaign import CampaignInterrupted as CampaignInterrupted
    from incast.campaign.comparing import compare as compare
    from incast.campaign.watch import Watch as Watch
    from incast.collectives.measured import NcclTests as NcclTests
    from incast.collectives.running import (
        NcclTestsInterrupted as NcclTestsInterrupted,
        nccl_tests as nccl_tests,
    )
    from incast.comparison import Comparison as Comparison
    from incast.errors import (
        AlgorithmError as AlgorithmError,
        ClusterError as ClusterError,
        CodeError as CodeError,
        ColumnError as ColumnError,
        Error as Error,
        ImportFileError as ImportFileError,
        LabelError as LabelError,
        PaperError as PaperError,
        ResultsError as ResultsError,
        RunError as RunError,
        ScenarioError as ScenarioError,
        StudyError as StudyError,
    )
    from incast.experiment import Interrupted as Interrupted, StallError as StallError, run as run
    from incast.graphs import import_graph as import_graph
    from incast.graphs.astra_sim import import_astra_sim as import_astra_sim
    from incast.importing import (
        Imported as Imported,
        ImportedSizes as ImportedSizes,
        import_hpcc_ns3 as import_hpcc_ns3,
        import_htsim as import_htsim,
        import_htsim_uec as import_htsim_uec,
        import_msccl as import_msccl,
        import_sizes as import_sizes,
    )
    from incast.network import (
        FlowEnd as FlowEnd,
        Network as Network,
        NetworkStalledError as NetworkStalledError,
    )
    from incast.paired_comparison import PairedComparison as PairedComparison
    from incast.recognition import (
        RecognisedFile as RecognisedFile,
        recognise as recognise,
        recognise_folder as recognise_folder,
    )
    from incast.registry import (
        algorithms as algorithms,
        balancers as balancers,
        charts as charts,
        measures as measures,
        parameter_sets as parameter_sets,
        parts as parts,
        profiles as profiles,
        topologies as topologies,
        workloads as workloads,
    )
    from incast.results import Results as Results, load as load
    from incast.scenario import (
        Scenario as Scenario,
        schema as schema,
        shipped as shipped,
        traffic_kinds as traffic_kinds,
    )
    from incast.store.place import UnstoredError as UnstoredError
    from incast.study.sweep import Sweep as Sweep, sweep as sweep
    from incast.table import Table as Table
else:
    from incast.address_space import manage_memory
    from incast.late_names import late

    manage_memory()

    _HOMES = {
        "incast._core": ["__version__"],
        "incast.campaign.campaign": ["CampaignInterrupted"],
        "incast.campaign.comparing": ["compare"],
        "incast.campaign.watch": ["Watch"],
        "incast.collectives.measured": ["NcclTests"],
        "incast.collectives.running": ["NcclTestsInterrupted", "nccl_tests"],
        "incast.comparison": ["Comparison"],
        "incast.errors": [
            "AlgorithmError",
            "ClusterError",
            "CodeError",
            "ColumnError",
            "Error",
            "ImportFileError",
            "LabelError",
            "PaperError",
            "ResultsError",
            "RunError",
            "ScenarioError",
            "StudyError",
        ],
        "incast.experiment": ["Interrupted", "StallError", "run"],
        "incast.graphs": ["import_graph"],
        "incast.graphs.astra_sim": ["import_astra_sim"],
        "incast.importing": [
            "Imported",
            "ImportedSizes",
            "import_hpcc_ns3",
            "import_htsim",
            "import_htsim_uec",
            "import_msccl",
            "import_sizes",
        ],
        "incast.network": ["FlowEnd", "Network", "NetworkStalledError"],
        "incast.paired_comparison": ["PairedComparison"],
        "incast.recognition": ["RecognisedFile", "recognise", "recognise_folder"],
        "incast.registry": [
            "algorithms",
            "balancers",
            "charts",
            "measures",
            "parameter_sets",
            "parts",
            "profiles",
            "topologies",
            "workloads",
        ],
        "incast.results": ["Results", "load"],
        "incast.scenario": ["Scenario", "schema", "shipped", "traffic_kinds"],
        "incast.store.place": ["UnstoredError"],
        "incast.study.sweep": ["Sweep", "sweep"],
        "incast.table": ["Table"],
    }
    __all__ = sorted([*(name for names in _HOMES.values() for name in names), "papers", "validate"])
    __getattr__, __dir__ = late(__name__, _HOMES)
