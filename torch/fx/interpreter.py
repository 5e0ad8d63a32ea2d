"""Run a graph node by node."""

from __future__ import annotations

import inspect
from typing import Any

from torch.fx import traceback
from torch.fx._tracer import Tracer
from torch.fx.graph import Graph
from torch.fx.graph_module import GraphModule
from torch.fx.node import Argument, Node, Target, map_aggregate, map_arg
from torch.fx.proxy import Proxy

__all__ = ["Interpreter", "Transformer"]


class Interpreter:
    """Runs a graph one node at a time; subclasses change what a node does.

    Args:
        module: The GraphModule.
        garbage_collect_values: Whether to drop values after their last use.
        graph: Another graph to run with the module's parameters.

    Example:
        >>> import torch.fx
        >>> class Swap(torch.fx.Interpreter):
        ...     def call_function(self, target, args, kwargs):
        ...         target = torch.neg if target is torch.relu else target
        ...         return super().call_function(target, args, kwargs)
        >>> Swap(torch.fx.symbolic_trace(lambda x: torch.relu(x))).run(torch.tensor([1.0]))
        tensor([-1.])
    """

    def __init__(self, module, garbage_collect_values: bool = True, graph: Graph | None = None):
        self.module = module
        self.submodules = dict(module.named_modules())
        self.graph = module.graph if graph is None else graph
        self.env: dict[Node, Any] = {}
        self.name = "Interpreter"
        self.garbage_collect_values = garbage_collect_values
        self.extra_traceback = True
        if garbage_collect_values:
            self.user_to_last_uses = self._last_uses()

    def _last_uses(self) -> dict[Node, list[Node]]:
        from torch.fx._codegen import _last_uses

        return _last_uses(self.graph.nodes)

    def run(self, *args, initial_env: dict[Node, Any] | None = None, enable_io_processing=True):
        """Run the graph.

        Args:
            *args: The inputs, in order.
            initial_env: Values of nodes that are then not computed.
            enable_io_processing: Whether the code generator converts inputs and outputs.

        Returns:
            The value of the output node.
        """
        self.env = {} if initial_env is None else initial_env
        if enable_io_processing:
            args = self.graph.process_inputs(*args)
        self.args_iter = iter(args)
        for node in self.graph.nodes:
            if node in self.env:
                continue
            try:
                self.env[node] = self.run_node(node)
            except Exception as error:
                if self.extra_traceback:
                    error.add_note(f"While executing {node.format_node()}")
                raise
            if self.garbage_collect_values:
                for unused in self.user_to_last_uses.get(node, []):
                    self.env.pop(unused, None)
            if node.op == "output":
                result = self.env[node]
                return self.graph.process_outputs(result) if enable_io_processing else result
        return None

    def boxed_run(self, args_list: list[Any]) -> Any:
        """Run the graph with a list of inputs, which is cleared."""
        args = list(args_list)
        args_list.clear()
        return self.run(*args)

    def run_node(self, n: Node) -> Any:
        """Run one node with the values of its inputs."""
        args, kwargs = self.fetch_args_kwargs_from_env(n)
        with traceback.set_current_meta(n):
            return getattr(self, n.op)(n.target, args, kwargs)

    def placeholder(self, target: Target, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Return the value of an input."""
        if target.startswith("*"):
            return list(self.args_iter)
        try:
            return next(self.args_iter)
        except StopIteration:
            if args:
                return args[0]
            raise RuntimeError(
                f"Expected positional argument for parameter {target}, but one was not passed in!"
            ) from None

    def get_attr(self, target: Target, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Return the value of an attribute."""
        return self.fetch_attr(target)

    def call_function(self, target: Target, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call a function."""
        return target(*args, **kwargs)

    def call_method(self, target: Target, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call a method of the first argument."""
        self_obj, *rest = args
        return getattr(self_obj, target)(*rest, **kwargs)

    def call_module(self, target: Target, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call a submodule."""
        return self.fetch_attr(target)(*args, **kwargs)

    def output(self, target: Target, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Return the result."""
        return args[0]

    def fetch_attr(self, target: str) -> Any:
        """Return the value of a nested attribute of the module."""
        found: Any = self.module
        atoms = target.split(".")
        for i, atom in enumerate(atoms):
            if not hasattr(found, atom):
                raise RuntimeError(f"Node referenced nonexistent target {'.'.join(atoms[: i + 1])}")
            found = getattr(found, atom)
        return found

    def fetch_args_kwargs_from_env(self, n: Node) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return the arguments of a node as values."""
        return self.map_nodes_to_values(n.args, n), self.map_nodes_to_values(n.kwargs, n)

    def map_nodes_to_values(self, args: Argument, n: Node) -> Any:
        """Replace nodes by their values."""

        def load(used: Node) -> Any:
            if used not in self.env:
                raise RuntimeError(
                    f"Node {n} referenced nonexistent value {used}! Run Graph.lint() to diagnose "
                    "such issues"
                )
            return self.env[used]

        return map_arg(args, load)


class Transformer(Interpreter):
    """Runs a graph with proxies, so that the result is a new, changed graph.

    Args:
        module: The GraphModule.

    Example:
        >>> import torch.fx
        >>> class Swap(torch.fx.Transformer):
        ...     def call_function(self, target, args, kwargs):
        ...         target = torch.neg if target is torch.relu else target
        ...         return super().call_function(target, args, kwargs)
        >>> swapped = Swap(torch.fx.symbolic_trace(lambda x: torch.relu(x))).transform()
        >>> swapped(torch.tensor([1.0]))
        tensor([-1.])
    """

    def __init__(self, module: GraphModule):
        super().__init__(module)
        self.new_graph = Graph()
        self.new_graph.set_codegen(module.graph._codegen)

        class TransformerTracer(Tracer):
            def __init__(self, graph: Graph):
                super().__init__()
                self.graph = graph

            def is_leaf_module(self, m: Any, module_qualified_name: str) -> bool:
                return True

        self.tracer = TransformerTracer(self.new_graph)
        self.tracer.root = module

    def placeholder(self, target: Target, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Proxy:
        """Add an input to the new graph."""
        default = args[0] if args else _EMPTY
        return Proxy(self.new_graph.placeholder(target, default_value=default), self.tracer)

    def get_attr(self, target: Target, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Proxy:
        """Add an attribute to the new graph."""
        return self.tracer.create_proxy("get_attr", target, args, kwargs)

    def call_module(self, target: Target, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Add a call of a submodule to the new graph."""
        return self.tracer.call_module(self.fetch_attr(target), None, args, kwargs)

    def call_function(self, target: Target, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Add a call of a function to the new graph."""
        return self.tracer.create_proxy("call_function", target, args, kwargs)

    def transform(self) -> GraphModule:
        """Return a module with the new graph."""
        with traceback.preserve_node_meta():
            result = super().run(enable_io_processing=False)
        if result is not None:

            def strip(value: Any) -> Any:
                return value.node if isinstance(value, Proxy) else value

            output = self.new_graph.output(map_aggregate(result, strip))
            old = next(n for n in reversed(self.graph.nodes) if n.op == "output")
            output.meta = dict(old.meta)
        return _new_module(self.module, self.new_graph)


def _new_module(module: GraphModule, graph: Graph) -> GraphModule:
    return GraphModule(module, graph, type(module).__name__)


_EMPTY = inspect.Parameter.empty
