"""Find patterns whose results have names."""

from __future__ import annotations

from torch.fx.graph import Graph
from torch.fx.graph_module import GraphModule
from torch.fx.node import Node
from torch.fx.passes.utils.matcher_utils import InternalMatch, SubgraphMatcher

__all__ = ["SubgraphMatcherWithNameNodeMap"]


def _without_names(pattern: GraphModule) -> tuple[GraphModule, dict[str, Node]]:
    """Remove the mapping at the end of the pattern's results, and return it."""
    import copy

    pattern = copy.deepcopy(pattern)
    output = pattern.graph.output_node()
    *results, names = output.args[0]
    if not isinstance(names, dict):
        raise ValueError("the last result of the pattern must be a mapping of names to nodes")
    output.args = (results,)
    pattern.recompile()
    return pattern, dict(names)


class SubgraphMatcherWithNameNodeMap(SubgraphMatcher):
    """Finds a pattern whose last result is a mapping of names to values.

    Args:
        pattern_gm: The module of the pattern.
        match_output: See SubgraphMatcher.
        match_placeholder: See SubgraphMatcher.
        remove_overlapping_matches: See SubgraphMatcher.
        ignore_literals: See SubgraphMatcher.

    Example:
        >>> import torch.fx
        >>> from torch.fx.passes.utils.matcher_with_name_node_map_utils import (
        ...     SubgraphMatcherWithNameNodeMap,
        ... )
        >>> def pattern(x):
        ...     y = torch.relu(x)
        ...     return y, {"relu": y}
        >>> matcher = SubgraphMatcherWithNameNodeMap(  # doctest: +SKIP
        ...     torch.fx.symbolic_trace(pattern)
        ... )
        >>> traced = torch.fx.symbolic_trace(lambda a: torch.relu(a) + 1)
        >>> matcher.match(traced.graph)[0].name_node_map  # doctest: +SKIP
        {'relu': relu}
    """

    def __init__(
        self,
        pattern_gm: GraphModule,
        match_output: bool = False,
        match_placeholder: bool = False,
        remove_overlapping_matches: bool = True,
        ignore_literals: bool = False,
    ) -> None:
        pattern, self.name_node_map = _without_names(pattern_gm)
        self._pattern_gm = pattern  # the owner of the graph
        super().__init__(
            pattern.graph,
            match_output,
            match_placeholder,
            remove_overlapping_matches,
            ignore_literals,
        )

    def match(self, graph: Graph, node_name_match: str = "") -> list[InternalMatch]:
        """Return the places of a graph that match, with `name_node_map`."""
        found = super().match(graph, node_name_match)
        for each in found:
            each.name_node_map = {
                name: each.nodes_map[node] for name, node in self.name_node_map.items()
            }
        return found
