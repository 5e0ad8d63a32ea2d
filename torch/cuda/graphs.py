"""Graphs: work of a stream that is recorded once and then launched by one call."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any

import torch
from torch import _C
from torch.cuda import _lazy

__all__ = [
    "CUDAGraph",
    "graph",
    "graph_pool_handle",
    "is_current_stream_capturing",
    "make_graphed_callables",
]


def _absent(name: str) -> RuntimeError:
    return RuntimeError(f"Tried to instantiate dummy base class {name}")


def _refuse(**options: bool) -> None:
    """Raise NotImplementedError for options of graphs that PyTorch has and this package does not."""
    if wanted := [name for name, value in options.items() if value]:
        msg = f"{' and '.join(wanted)} of a graph is not supported"
        raise NotImplementedError(msg)


class _NoGraph:
    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        raise _absent("CUDAGraph")


_GraphBase: Any = getattr(_C, "_CUDAGraph", _NoGraph)


def is_current_stream_capturing() -> bool:
    """Return whether the work of the current stream is being recorded.

    Example:
        >>> torch.cuda.is_current_stream_capturing()  # doctest: +SKIP
        False
    """
    if not _lazy.is_compiled():
        raise _absent("_cuda_isCurrentStreamCapturing")
    return _lazy.is_initialized() and _C._cuda_isCurrentStreamCapturing()


def graph_pool_handle() -> tuple[int, int]:
    """Return a new pool of memory for graphs that never run at the same time.

    Example:
        >>> pool = torch.cuda.graph_pool_handle()  # doctest: +SKIP
    """
    if not _lazy.is_compiled():
        raise _absent("_graph_pool_handle")
    return _C._graph_pool_handle()


class CUDAGraph(_GraphBase):
    """Work of a stream that is recorded once and then launched by one call.

    A replay uses the memory of the recording: write new inputs into the tensors that were used
    there, and read the results from those that were made there. `torch.cuda.graph` records.

    Args:
        keep_graph: Whether what was recorded stays as a `cudaGraph_t` (`raw_cuda_graph`), which
            other code may change before `instantiate` or the first `replay` makes an executable.

    Example:
        >>> graph = torch.cuda.CUDAGraph()  # doctest: +SKIP
        >>> with torch.cuda.graph(graph):  # doctest: +SKIP
        ...     y = x * 2
        >>> x.copy_(new_x); graph.replay()  # doctest: +SKIP
    """

    def __new__(cls, keep_graph: bool = False) -> Any:  # noqa: D102
        return super().__new__(cls, keep_graph)

    def __init__(self, keep_graph: bool = False) -> None:
        pass

    def capture_begin(
        self,
        pool: tuple[int, int] | None = None,
        capture_error_mode: str = "global",
        check_input_liveness: bool = False,
    ) -> None:
        """Start to record the work of the current stream, which must not be the default one.

        Args:
            pool: The memory pool of another graph, or one of `graph_pool_handle`.
            capture_error_mode: Which threads' calls that wait for a device fail meanwhile:
                "global" (all), "thread_local" (this one's) or "relaxed" (none).
            check_input_liveness: Must be False.
        """
        _refuse(check_input_liveness=check_input_liveness)
        super().capture_begin(pool=pool, capture_error_mode=capture_error_mode)

    def debug_dump(self, debug_path: str) -> None:
        """Write the recorded operations to a file in Graphviz's format.

        This works once after `enable_debug_mode` and a recording, and always with `keep_graph`.

        Args:
            debug_path: The path of the file.
        """
        super().debug_dump(str(debug_path))


class graph:
    """Context manager that records the work of its block into a graph.

    Args:
        cuda_graph: The graph.
        pool: The memory pool of another graph, or one of `graph_pool_handle`.
        stream: The stream that records; by default one that all recordings share.
        capture_error_mode: Which threads' calls that wait for a device fail meanwhile: "global"
            (all), "thread_local" (this one's) or "relaxed" (none).
        enable_annotations: Must be False.
        check_input_liveness: Must be False.

    Example:
        >>> with torch.cuda.graph(torch.cuda.CUDAGraph()):  # doctest: +SKIP
        ...     y = x * 2
    """

    default_capture_stream: torch.cuda.Stream | None = None

    def __init__(
        self,
        cuda_graph: CUDAGraph,
        pool: tuple[int, int] | None = None,
        stream: torch.cuda.Stream | None = None,
        capture_error_mode: str = "global",
        enable_annotations: bool = False,
        check_input_liveness: bool = False,
    ) -> None:
        _refuse(enable_annotations=enable_annotations, check_input_liveness=check_input_liveness)
        if stream is None:
            if graph.default_capture_stream is None:
                graph.default_capture_stream = torch.cuda.Stream()
            stream = graph.default_capture_stream
        self.cuda_graph = cuda_graph
        self.pool = pool
        self.capture_stream = stream
        self.stream_ctx = torch.cuda.stream(stream)
        self.capture_error_mode = capture_error_mode

    def __enter__(self) -> None:
        # A tensor that dies during the recording must not be one from before it.
        torch.cuda.synchronize()
        gc.collect()
        torch.cuda.empty_cache()
        self.stream_ctx.__enter__()
        try:
            self.cuda_graph.capture_begin(
                pool=self.pool, capture_error_mode=self.capture_error_mode
            )
        except BaseException:
            self.stream_ctx.__exit__(None, None, None)
            raise

    def __exit__(self, *error: object) -> None:
        try:
            self.cuda_graph.capture_end()
        finally:
            self.stream_ctx.__exit__(*error)


def _tensors_in(value: Any) -> list[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        value = value.values()
    elif not isinstance(value, (list, tuple)):
        return []
    return [tensor for each in value for tensor in _tensors_in(each)]


def _with_tensors(value: Any, tensors: Any) -> Any:
    """Return the same nesting with the next tensors of an iterator."""
    if isinstance(value, torch.Tensor):
        return next(tensors)
    if isinstance(value, dict):
        return {name: _with_tensors(each, tensors) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        items = [_with_tensors(each, tensors) for each in value]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    return value


class _Recorded:
    """The graphs of one callable: forward, and backward if anything requires gradients."""

    def __init__(
        self, function: Callable[..., Any], args: tuple[Any, ...], allow_unused: bool
    ) -> None:
        self.function = function
        self.args = args
        self.allow_unused = allow_unused
        self.parameters: tuple[torch.Tensor, ...] = ()
        if isinstance(function, torch.nn.Module):
            self.parameters = tuple(function.parameters())
        self.inputs = (*_tensors_in(args), *self.parameters)
        self.wanted = tuple(x for x in self.inputs if x.requires_grad)
        self.forward, self.backward = CUDAGraph(), CUDAGraph()

    def warm_up(self, iterations: int) -> None:
        for _ in range(iterations):
            outputs = [y for y in _tensors_in(self.function(*self.args)) if y.requires_grad]
            if outputs:
                self._gradients(outputs, [torch.empty_like(y) for y in outputs])

    def _gradients(
        self, outputs: list[torch.Tensor], gradients: list[torch.Tensor]
    ) -> tuple[torch.Tensor | None, ...]:
        return torch.autograd.grad(
            outputs=outputs,
            inputs=self.wanted,
            grad_outputs=gradients,
            only_inputs=True,
            allow_unused=self.allow_unused,
        )

    def record_forward(self, pool: tuple[int, int]) -> None:
        with graph(self.forward, pool=pool):
            self.result = self.function(*self.args)
        self.outputs = _tensors_in(self.result)

    def record_backward(self, pool: tuple[int, int]) -> None:
        self.output_gradients = [
            torch.empty_like(y) if y.requires_grad else None for y in self.outputs
        ]
        outputs = [y for y in self.outputs if y.requires_grad]
        self.input_gradients: list[torch.Tensor | None] = [None] * len(self.inputs)
        if not outputs or not self.wanted:
            return
        with graph(self.backward, pool=pool):
            found = iter(
                self._gradients(outputs, [g for g in self.output_gradients if g is not None])
            )
        self.input_gradients = [next(found) if x.requires_grad else None for x in self.inputs]
        # The leaves' nodes belong to the recording's stream, so none may outlive it.
        self.outputs = [y.detach() for y in self.outputs]
        self.result = _with_tensors(self.result, iter(self.outputs))

    def callable(self) -> Callable[..., Any]:
        recorded = self

        class Replay(torch.autograd.Function):
            @staticmethod
            def forward(ctx: Any, *inputs: torch.Tensor) -> tuple[torch.Tensor, ...]:
                for static, given in zip(recorded.inputs, inputs, strict=True):
                    if static.data_ptr() != given.data_ptr():
                        static.copy_(given)
                recorded.forward.replay()
                return tuple(y.detach() for y in recorded.outputs)

            @staticmethod
            def backward(ctx: Any, *gradients: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
                for static, given in zip(recorded.output_gradients, gradients, strict=True):
                    if static is not None and static.data_ptr() != given.data_ptr():
                        static.copy_(given)
                recorded.backward.replay()
                return tuple(g if g is None else g.detach() for g in recorded.input_gradients)

        def replay(*args: Any) -> Any:
            given = (*_tensors_in(args), *recorded.parameters)
            return _with_tensors(recorded.result, iter(Replay.apply(*given)))

        return replay


def make_graphed_callables(
    callables: Any,
    sample_args: tuple[Any, ...],
    num_warmup_iters: int = 3,
    allow_unused_input: bool = False,
    pool: tuple[int, int] | None = None,
) -> Any:
    """Return versions of functions or modules whose forward and backward passes are graphs.

    Args:
        callables: A function or module, or a tuple of them in the order in which they are called.
        sample_args: The arguments of the recording, or a tuple of such tuples. Later arguments
            must have the same shapes, dtypes and requires_grad.
        num_warmup_iters: How often to run each before the recording.
        allow_unused_input: Whether the outputs may be independent of an input.
        pool: The memory pool of another graph, or one of `graph_pool_handle`.

    Returns:
        For a module the module itself, whose `forward` replays while its training mode is that of
        the recording; for a function a new one.

    Raises:
        RuntimeError: If autocast is on and keeps its casts of weights, or in a build without CUDA.

    Example:
        >>> model = torch.cuda.make_graphed_callables(model, (x,))  # doctest: +SKIP
    """
    if not _lazy.is_compiled():
        raise _absent("CUDAGraph")
    if torch.is_autocast_enabled("cuda") and torch.is_autocast_cache_enabled():
        raise RuntimeError(
            "make_graphed_callables does not support the autocast caching. Please set "
            "`cache_enabled=False`."
        )
    single = not isinstance(callables, tuple)
    if single:
        callables, sample_args = (callables,), (sample_args,)
    for function in callables:
        if isinstance(function, torch.nn.Module) and any(
            buffer.requires_grad for buffer in function.buffers()
        ):
            raise RuntimeError("Buffers of a graphed module must not require gradients.")
    recorded = [
        _Recorded(f, args, allow_unused_input)
        for f, args in zip(callables, sample_args, strict=True)
    ]
    torch.cuda.synchronize()
    with torch.cuda.stream(torch.cuda.Stream()):
        for each in recorded:
            each.warm_up(num_warmup_iters)
    torch.cuda.synchronize()
    memory = graph_pool_handle() if pool is None else pool
    for each in recorded:
        each.record_forward(memory)
    for each in reversed(recorded):
        each.record_backward(memory)
    results = tuple(_replacement(each) for each in recorded)
    return results[0] if single else results


def _replacement(recorded: _Recorded) -> Any:
    replay, function = recorded.callable(), recorded.function
    if not isinstance(function, torch.nn.Module):
        return replay
    training, original = function.training, function.forward

    def forward(*args: Any) -> Any:
        return replay(*args) if function.training == training else original(*args)

    function.forward = forward
    return function
