"""Graphs of the accelerator: operators that are captured once, and replayed."""

from __future__ import annotations

from typing import Any

import torch
from torch.accelerator._devices import _WITHOUT, current_accelerator

Pool = tuple[int, int]


class Graph:
    """Operators that are captured once, and replayed; a context manager that captures its block.

    Args:
        keep_graph: Whether to keep the graph after it has been made executable.
        pool: The pool of memory that the graph shares, as `pool` of another returns it.
        capture_error_mode: Which calls of other threads end a capture with an error.

    Raises:
        RuntimeError: If there is no accelerator, or one without graphs.

    Example:
        >>> graph = torch.accelerator.Graph()  # doctest: +SKIP
        >>> with graph:  # doctest: +SKIP
        ...     y = x * 2
        >>> graph.replay()  # doctest: +SKIP
    """

    def __init__(
        self,
        keep_graph: bool = False,
        *,
        pool: Pool | None = None,
        capture_error_mode: str = "default",
    ) -> None:
        accelerator = current_accelerator(check_available=True)
        if accelerator is None:
            raise RuntimeError(_WITHOUT)
        if accelerator.type != "cuda":
            raise RuntimeError(f"the accelerator {accelerator} has no graphs")
        self._graph = torch.cuda.CUDAGraph(keep_graph)
        mode = "global" if capture_error_mode == "default" else capture_error_mode
        self._options: dict[str, Any] = {"pool": pool, "capture_error_mode": mode}
        self._block: Any = None

    def __getattr__(self, name: str) -> Any:
        if name in ("replay", "reset", "pool", "instantiate", "enable_debug_mode", "debug_dump"):
            return getattr(self._graph, name)
        raise AttributeError(f"'{type(self).__name__}' object has no attribute {name!r}")

    def capture_begin(self) -> None:
        """Begin to capture the operators of the current stream."""
        given = {name: value for name, value in self._options.items() if value is not None}
        self._graph.capture_begin(**given)

    def capture_end(self) -> None:
        """End the capture."""
        self._graph.capture_end()

    def __enter__(self) -> Graph:
        self._block = torch.cuda.graph(self._graph, **self._options)
        self._block.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._block.__exit__(*error)
