"""torch.fx: record what a module computes as a graph of calls, change it, and run it again.

`symbolic_trace` runs a module with stand-ins for its inputs and returns a GraphModule: a module
whose `forward` is Python code that is generated from the recorded graph.
"""

from torch._lazy_attributes import import_at_use as _import_at_use
from torch.fx import immutable_collections
from torch.fx._symbolic_trace import PH, ProxyableClassMeta, Tracer, symbolic_trace, wrap
from torch.fx.graph import CodeGen as CodeGen
from torch.fx.graph import Graph
from torch.fx.graph_module import GraphModule
from torch.fx.interpreter import Interpreter, Transformer
from torch.fx.node import Node, has_side_effect, map_arg
from torch.fx.proxy import Proxy, TraceError
from torch.fx.proxy import TracerBase as TracerBase
from torch.fx.subgraph_rewriter import replace_pattern

__all__ = [
    "PH",
    "Graph",
    "GraphModule",
    "Interpreter",
    "Node",
    "Proxy",
    "ProxyableClassMeta",
    "TraceError",
    "Tracer",
    "Transformer",
    "has_side_effect",
    "immutable_collections",
    "map_arg",
    "replace_pattern",
    "symbolic_trace",
    "wrap",
]

__getattr__ = _import_at_use(__name__)
