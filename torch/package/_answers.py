"""What an exporter answers about the modules of its package."""

from __future__ import annotations

from torch.package._decisions import Action, ModuleState
from torch.package._dependencies import DependencyGraph


class Answers:
    """The methods of PackageExporter that tell which modules are treated how, and why."""

    _modules: dict[str, ModuleState]
    dependency_graph: DependencyGraph

    def _names(self, action: Action) -> list[str]:
        return [name for name, module in self._modules.items() if module.action is action]

    def interned_modules(self) -> list[str]:
        """Return the modules that are copied into the package."""
        return self._names(Action.INTERN)

    def externed_modules(self) -> list[str]:
        """Return the modules that the loading Python has to have."""
        return self._names(Action.EXTERN)

    def mocked_modules(self) -> list[str]:
        """Return the modules that are replaced by unusable ones."""
        return self._names(Action.MOCK)

    def denied_modules(self) -> list[str]:
        """Return the modules that a pattern forbids."""
        return self._names(Action.DENY)

    def get_rdeps(self, module_name: str) -> list[str]:
        """Return the modules that import a module.

        Raises:
            ValueError: If the package does not need it.
        """
        if module_name not in self.dependency_graph:
            raise ValueError(f"the package does not need a module {module_name}")
        return self.dependency_graph.predecessors(module_name)

    def all_paths(self, src: str, dst: str) -> str:
        """Return how one module leads to another one, in the language of Graphviz.

        Raises:
            ValueError: If the package does not need one of them.
        """
        return self.dependency_graph.paths(src, dst).to_dot()

    def dependency_graph_string(self) -> str:
        """Return which module imports which, in the language of Graphviz."""
        return self.dependency_graph.to_dot()
