"""PyTorch's modules of which the names exist in this build, each with names that programs import."""

# The module, the module that defines the names here, and some names.
SAME = {
    "torch.accelerator.graphs": ("torch.accelerator", "Graph"),
    "torch.mps.event": ("torch.mps", "Event"),
    "torch.mtia.memory": ("torch.mtia", "memory_allocated"),
    "torch.nn.intrinsic.qat.modules.linear_relu": (
        "torch.ao.nn.intrinsic.qat.modules.linear_relu",
        "LinearReLU",
    ),
    "torch.nn.modules.linear_cross_entropy": ("torch.nn", "LinearCrossEntropyLoss"),
    "torch.nn.qat.modules.conv": ("torch.ao.nn.qat", "Conv2d"),
    "torch.nn.quantized.dynamic.modules.linear": ("torch.ao.nn.quantized.dynamic", "Linear"),
    "torch.nn.quantized.modules.linear": ("torch.ao.nn.quantized", "Linear"),
    "torch.package.analyze.is_from_package": ("torch.package", "is_from_package"),
    "torch.package.file_structure_representation": ("torch.package", "Directory"),
    "torch.profiler.profiler": ("torch.profiler", "profile schedule ProfilerAction"),
    "torch.quantization.fx.prepare": ("torch.ao.quantization.fx.prepare", "prepare"),
    "torch.quantization.quantize_fx": ("torch.ao.quantization.quantize_fx", "prepare_fx"),
    "torch.sparse.semi_structured": ("torch.sparse", "to_sparse_semi_structured"),
    "torch.utils.benchmark.utils.common": ("torch.utils.benchmark", "Measurement TaskSpec"),
    "torch.utils.benchmark.utils.compare": ("torch.utils.benchmark", "Compare"),
    "torch.utils.benchmark.utils.fuzzer": ("torch.utils.benchmark", "Fuzzer FuzzedTensor"),
    "torch.utils.benchmark.utils.timer": ("torch.utils.benchmark", "Timer timer"),
    "torch.utils.benchmark.utils.valgrind_wrapper.timer_interface": (
        "torch.utils.benchmark",
        "CallgrindStats",
    ),
    "torch.utils.cpp_backtrace": ("torch.utils", "get_cpp_backtrace"),
    "torch.xpu.memory": ("torch.xpu", "memory_allocated empty_cache"),
    "torch.xpu.random": ("torch.xpu", "manual_seed"),
    "torch.xpu.streams": ("torch.xpu", "Stream Event"),
}
# Modules that define names of their own, or the names of parts that are off.
OTHERS = """
ao.nn.intrinsic.quantized.modules.conv_add ao.nn.quantizable.modules.activation
ao.nn.quantized.dynamic.modules.conv ao.nn.quantized.reference.modules.linear
ao.nn.sparse.quantized.dynamic.linear ao.ns.fx.graph_matcher ao.ns.fx.utils
ao.pruning.scheduler.base_scheduler ao.pruning.scheduler.cubic_scheduler
ao.pruning.scheduler.lambda_scheduler ao.pruning.sparsifier.base_sparsifier
ao.pruning.sparsifier.nearly_diagonal_sparsifier ao.pruning.sparsifier.utils
ao.pruning.sparsifier.weight_norm_sparsifier ao.quantization.backend_config.backend_config
ao.quantization.backend_config.native ao.quantization.fx.custom_config
ao.quantization.fx.graph_module ao.quantization.fx.utils ao.quantization.quant_type
ao.quantization.quantize_jit autograd.profiler_legacy distributed.remote_device
export.custom_obj export.decomp_utils export.passes export.pt2_archive
fx.annotate fx.config fx.experimental.accelerator_partitioner fx.experimental.const_fold
fx.experimental.merge_matmul fx.experimental.meta_tracer
fx.experimental.migrate_gradual_types.constraint fx.experimental.partitioner_utils
fx.experimental.rewriter fx.experimental.schema_type_annotation fx.experimental.sym_node
fx.experimental.unification.core fx.experimental.unification.multipledispatch.dispatcher
fx.experimental.validator fx.passes.annotate_getitem_nodes fx.passes.fake_tensor_prop
fx.passes.graph_drawer fx.passes.graph_manipulation fx.passes.infra.partitioner
fx.passes.net_min_base fx.passes.operator_support fx.passes.pass_manager fx.passes.reinplace
fx.passes.runtime_assert fx.passes.split_utils fx.passes.tools_common fx.passes.utils.common
fx.passes.utils.fuser_utils fx.passes.utils.matcher_utils
fx.passes.utils.matcher_with_name_node_map_utils fx.passes.utils.source_matcher_utils
fx.tensor_type jit.frontend jit.quantized mps.profiler nn.parallel.comm onnx.verification
profiler.itt utils.backcompat utils.benchmark.op_fuzzers.binary utils.benchmark.op_fuzzers.unary
utils.benchmark.utils.sparse_fuzzer utils.bundled_inputs utils.data.datapipes.dataframe.structures
utils.data.datapipes.iter.callable utils.data.datapipes.iter.combinatorics
utils.data.datapipes.iter.routeddecoder utils.data.datapipes.iter.sharding
utils.data.datapipes.map.combining utils.data.datapipes.utils.common
utils.data.datapipes.utils.decoder utils.data.graph utils.data.graph_settings utils.file_baton
utils.serialization.config utils.hipify.hipify_python utils.mkldnn utils.mobile_optimizer utils.model_dump
"""
