"""The graph of which module imports which."""

from __future__ import annotations


class DependencyGraph:
    """Modules and which of them import which, in the order in which they were found."""

    def __init__(self) -> None:
        self._successors: dict[str, dict[str, None]] = {}

    def add(self, module: str) -> None:
        """Add a module."""
        self._successors.setdefault(module, {})

    def add_edge(self, module: str, imported: str) -> None:
        """Record that one module imports another one."""
        self.add(module)
        self.add(imported)
        self._successors[module][imported] = None

    def __contains__(self, module: str) -> bool:
        return module in self._successors

    def predecessors(self, module: str) -> list[str]:
        """Return the modules that import a module."""
        return [name for name, imported in self._successors.items() if module in imported]

    def first_path(self, module: str) -> list[str]:
        """Return a path to a module from one that nothing imports."""
        path = [module]
        while True:
            before = [name for name in self.predecessors(path[0]) if name not in path]
            if not before:
                return path
            path.insert(0, before[0])

    def _reachable(self, start: str) -> set[str]:
        seen, pending = {start}, [start]
        while pending:
            for name in self._successors[pending.pop()]:
                if name not in seen:
                    seen.add(name)
                    pending.append(name)
        return seen

    def paths(self, start: str, end: str) -> DependencyGraph:
        """Return the part of the graph that is on a path from one module to another.

        Raises:
            ValueError: If one of them is not in the graph.
        """
        for module in (start, end):
            if module not in self:
                raise ValueError(f"The node {module} is not in the digraph.")
        part = DependencyGraph()
        for name in self._reachable(start):
            if end in self._reachable(name):
                for imported in self._successors[name]:
                    if end in self._reachable(imported):
                        part.add_edge(name, imported)
        return part

    def to_dot(self) -> str:
        """Return the graph in the language of Graphviz."""
        edges = "\n".join(
            f'"{module}" -> "{name}";' for module, all_ in self._successors.items() for name in all_
        )
        return f"digraph G {{\nrankdir = LR;\nnode [shape=box];\n{edges}\n}}\n"
