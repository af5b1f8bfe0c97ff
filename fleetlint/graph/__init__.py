"""Who can wake whom."""

from fleetlint.graph.derive import derive
from fleetlint.graph.model import DIRECT, FEED, TRIGGER, Cycle, Edge, Fleet, Graph, Node, SelfTrigger, Via

__all__ = [
    "DIRECT",
    "FEED",
    "TRIGGER",
    "Cycle",
    "Edge",
    "Fleet",
    "Graph",
    "Node",
    "SelfTrigger",
    "Via",
    "derive",
]
