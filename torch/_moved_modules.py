"""The modules without files: the module that defines the names of each.

PyTorch has these names in files of their own; programs import them from there.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Modules of quantization that have moved to torch.ao.
_QUANTIZATION = """
    nn.intrinsic nn.intrinsic.modules nn.intrinsic.modules.fused nn.intrinsic.qat
    nn.intrinsic.qat.modules nn.intrinsic.qat.modules.conv_fused
    nn.intrinsic.qat.modules.linear_fused nn.intrinsic.qat.modules.linear_relu
    nn.intrinsic.quantized nn.intrinsic.quantized.dynamic
    nn.intrinsic.quantized.dynamic.modules
    nn.intrinsic.quantized.dynamic.modules.linear_relu nn.intrinsic.quantized.modules
    nn.intrinsic.quantized.modules.bn_relu nn.intrinsic.quantized.modules.conv_relu
    nn.intrinsic.quantized.modules.linear_relu nn.qat nn.qat.dynamic nn.qat.dynamic.modules
    nn.qat.dynamic.modules.linear nn.qat.modules nn.qat.modules.conv
    nn.qat.modules.embedding_ops nn.qat.modules.linear nn.quantizable nn.quantizable.modules
    nn.quantizable.modules.activation nn.quantizable.modules.rnn nn.quantized
    nn.quantized.dynamic nn.quantized.dynamic.modules nn.quantized.dynamic.modules.conv
    nn.quantized.dynamic.modules.linear nn.quantized.dynamic.modules.rnn
    nn.quantized.functional nn.quantized.modules nn.quantized.modules.activation
    nn.quantized.modules.batchnorm nn.quantized.modules.conv nn.quantized.modules.dropout
    nn.quantized.modules.embedding_ops nn.quantized.modules.functional_modules
    nn.quantized.modules.linear nn.quantized.modules.normalization nn.quantized.modules.rnn
    nn.quantized.modules.utils quantization quantization.fake_quantize
    quantization.fuse_modules quantization.fuser_method_mappings quantization.fx
    quantization.fx.convert quantization.fx.fuse quantization.fx.graph_module
    quantization.fx.match_utils quantization.fx.pattern_utils quantization.fx.prepare
    quantization.fx.utils quantization.observer quantization.qconfig quantization.quant_type
    quantization.quantization_mappings quantization.quantize quantization.quantize_fx
    quantization.quantize_jit quantization.stubs quantization.utils
"""
# The modules of the pipes' classes, which are called FilterIterDataPipe, for example.
_PIPES = {
    "iter": {
        "callable": "Collator Mapper",
        "combinatorics": "Sampler Shuffler",
        "combining": "Concater Demultiplexer Forker Multiplexer Zipper",
        "filelister": "FileLister",
        "fileopener": "FileOpener",
        "grouping": "Batcher Grouper UnBatcher",
        "selecting": "Filter",
        "sharding": "ShardingFilter",
        "streamreader": "StreamReader",
        "utils": "IterableWrapper",
    },
    "map": {
        "callable": "Mapper",
        "combinatorics": "Shuffler",
        "combining": "Concater Zipper",
        "grouping": "Batcher",
        "utils": "SequenceWrapper",
    },
}


def _pipe_name(kind: str, name: str) -> str:
    """Return PyTorch's name for a class of pipes; those of keys that are shuffled have none."""
    return f"{name}{'Iter' if name == 'Shuffler' else kind.title()}DataPipe"


def publish_pipes(namespace: dict[str, Any], kind: str) -> None:
    """Let the classes of pipes report PyTorch's names and modules, which pickles contain."""
    for module, names in _PIPES[kind].items():
        for name in names.split():
            cls = namespace[name]
            cls.__module__ = f"torch.utils.data.datapipes.{kind}.{module}"
            cls.__name__ = cls.__qualname__ = _pipe_name(kind, name)


def _pipe_modules(kind: str) -> dict[str, tuple[str, str]]:
    home = f"torch.utils.data.datapipes.{kind}"
    return {
        f"{home}.{module}": (
            home,
            " ".join(f"{_pipe_name(kind, name)}={name}" for name in names.split()),
        )
        for module, names in _PIPES[kind].items()
    }


# The name of the module: the module that defines its names here, and these names; * means all.
MODULES = {
    "torch._VF": ("torch._C._VariableFunctions", "*"),
    "torch._functorch.apis": ("torch.func", "chunk_vmap grad grad_and_value vmap"),
    "torch._functorch.batch_norm_replacement": ("torch.func", "replace_all_batch_norm_modules_"),
    "torch._functorch.eager_transforms": (
        "torch.func",
        "functionalize grad grad_and_value hessian jacfwd jacrev jvp linearize vjp",
    ),
    "torch._functorch.functional_call": ("torch.func", "functional_call stack_module_state"),
    "torch.jit._script": ("torch.jit", "RecursiveScriptModule ScriptModule interface script"),
    "torch.masked._ops": ("torch.masked", "*"),
    "torch.multiprocessing.pool": ("torch.multiprocessing", "Pool"),
    "torch.multiprocessing.queue": ("torch.multiprocessing", "JoinableQueue Queue SimpleQueue"),
    **{f"torch.{name}": (f"torch.ao.{name}", "*") for name in _QUANTIZATION.split()},
    "torch.nn.parallel.comm": ("torch.cuda.comm", "*"),
    "torch.signal.windows.windows": ("torch.signal.windows", "*"),
    "torch.utils.data._utils.fetch": (
        "torch.utils.data._utils.dataset_kind",
        "_BaseDatasetFetcher _IterableDatasetFetcher _MapDatasetFetcher",
    ),
    "torch.accelerator.graphs": ("torch.accelerator", "Graph"),
    "torch.mps.event": ("torch.mps", "Event"),
    "torch.mtia.memory": (
        "torch.mtia",
        "memory_stats max_memory_allocated memory_allocated reset_peak_memory_stats",
    ),
    "torch.mtia.mtia_graph": ("torch.mtia", "MTIAGraph graph graph_pool_handle"),
    "torch.nn.modules.linear_cross_entropy": (
        "torch.nn.modules._linear_cross_entropy",
        "LinearCrossEntropyLoss",
    ),
    "torch.package.analyze.is_from_package": ("torch.package", "is_from_package"),
    "torch.package.file_structure_representation": ("torch.package", "Directory"),
    "torch.quantization.fx.fusion_patterns": (
        "torch.ao.quantization.fx.fuse_handler",
        "DefaultFuseHandler FuseHandler",
    ),
    "torch.quantization.fx.quantization_patterns": (
        "torch.ao.quantization.fx.quantize_handler",
        "*",
    ),
    "torch.sparse.semi_structured": (
        "torch.sparse",
        "SparseSemiStructuredTensor SparseSemiStructuredTensorCUSPARSELT SparseSemiStructuredTensorCUTLASS to_sparse_semi_structured",
    ),
    "torch.utils.benchmark.op_fuzzers": ("torch.utils.benchmark._operator_fuzzers", ""),
    "torch.utils.benchmark.op_fuzzers.binary": (
        "torch.utils.benchmark._operator_fuzzers",
        "BinaryOpFuzzer",
    ),
    "torch.utils.benchmark.op_fuzzers.sparse_binary": (
        "torch.utils.benchmark._operator_fuzzers",
        "BinaryOpSparseFuzzer",
    ),
    "torch.utils.benchmark.op_fuzzers.sparse_unary": (
        "torch.utils.benchmark._operator_fuzzers",
        "UnaryOpSparseFuzzer",
    ),
    "torch.utils.benchmark.op_fuzzers.spectral": (
        "torch.utils.benchmark._operator_fuzzers",
        "SpectralOpFuzzer",
    ),
    "torch.utils.benchmark.op_fuzzers.unary": (
        "torch.utils.benchmark._operator_fuzzers",
        "UnaryOpFuzzer",
    ),
    "torch.utils.benchmark.utils": ("torch.utils.benchmark", ""),
    "torch.utils.benchmark.utils.common": (
        "torch.utils.benchmark._common",
        "Measurement TaskSpec ordered_unique select_unit set_torch_threads trim_sigfig unit_to_english",
    ),
    "torch.utils.benchmark.utils.compare": ("torch.utils.benchmark._compare", "Colorize Compare"),
    "torch.utils.benchmark.utils.fuzzer": (
        "torch.utils.benchmark._fuzzer",
        "FuzzedParameter FuzzedTensor Fuzzer ParameterAlias",
    ),
    "torch.utils.benchmark.utils.sparse_fuzzer": (
        "torch.utils.benchmark._sparse_fuzzer",
        "FuzzedSparseTensor",
    ),
    "torch.utils.benchmark.utils.timer": ("torch.utils.benchmark._timer", "Language Timer timer"),
    "torch.utils.benchmark.utils.valgrind_wrapper": ("torch.utils.benchmark", ""),
    "torch.utils.benchmark.utils.valgrind_wrapper.timer_interface": (
        "torch.utils.benchmark._counts",
        "CallgrindStats CopyIfCallgrind FunctionCount FunctionCounts",
    ),
    "torch.utils.cpp_backtrace": ("torch.utils._cpp_backtrace", "get_cpp_backtrace"),
    "torch.utils.data.datapipes.utils": ("torch.utils.data.datapipes", ""),
    "torch.utils.data.datapipes.utils.common": (
        "torch.utils.data.datapipes._streams",
        "StreamWrapper get_file_binaries_from_pathnames get_file_pathnames_from_root match_masks validate_input_col validate_pathname_binary_tuple",
    ),
    "torch.xpu.graphs": (
        "torch.xpu",
        "XPUGraph graph graph_pool_handle is_current_stream_capturing make_graphed_callables",
    ),
    "torch.xpu.memory": (
        "torch.xpu",
        "MemPool XPUPluggableAllocator change_current_allocator empty_cache get_per_process_memory_fraction max_memory_allocated max_memory_reserved mem_get_info memory_allocated memory_reserved memory_snapshot memory_stats memory_stats_as_nested_dict reset_accumulated_memory_stats reset_peak_memory_stats set_per_process_memory_fraction use_mem_pool",
    ),
    "torch.xpu.random": (
        "torch.xpu",
        "get_rng_state get_rng_state_all initial_seed manual_seed manual_seed_all seed seed_all set_rng_state set_rng_state_all",
    ),
    "torch.xpu.streams": ("torch.xpu", "Event Stream"),
    **_pipe_modules("iter"),
    **_pipe_modules("map"),
    "torch.utils.data.datapipes.iter.sharding": (
        "torch.utils.data.datapipes.iter._ordering",
        "SHARDING_PRIORITIES ShardingFilterIterDataPipe=ShardingFilter",
    ),
}
