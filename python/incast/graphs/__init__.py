"""Graphs of other programs: GraphML, GML, node-link JSON, SNDlib, InfraGraph.

Each format reads a file into nodes and links (`network_graph.py`); rates and delays come from
attributes (`attributes.py`). `importing.py` adds hosts and missing values, and makes a scenario.
"""

from incast.graphs.importing import ImportedGraph, import_graph

__all__ = ["ImportedGraph", "import_graph"]
