"""The names of torch.utils that this build lacks."""

from torch._named_parts import NamedParts

_NAMES = {
    "benchmark.utils.compile": "bench_all benchmark_compile bench_loop",
    "benchmark.utils.cpp_jit": """compile_callgrind_template compile_timeit_template
        get_compat_bindings""",
    "bundled_inputs": """InflatableArg augment_many_model_functions_with_bundled_inputs
        augment_model_with_bundled_inputs bundle_inputs bundle_large_tensor bundle_randn""",
    "data.datapipes.dataframe": "CaptureDataFrame DFIterDataPipe DataFramesAsTuplesPipe",
    "data.datapipes.dataframe.dataframe_wrapper": """PandasWrapper concat create_dataframe
        get_columns get_df_wrapper get_item get_len is_column is_dataframe iterate set_df_wrapper""",
    "data.datapipes.dataframe.dataframes": """Capture CaptureA CaptureAdd CaptureCall
        CaptureControl CaptureDataFrame CaptureDataFrameWithDataPipeOps CaptureF CaptureGetAttr
        CaptureGetItem CaptureInitial CaptureLikeMock CaptureMul CaptureSetItem CaptureSub
        CaptureVariable CaptureVariableAssign DataFrameTracedOps DataFrameTracer disable_capture
        get_val""",
    "data.datapipes.dataframe.datapipes": """ConcatDataFramesPipe DataFramesAsTuplesPipe
        ExampleAggregateAsDataFrames FilterDataFramesPipe PerRowDataFramesPipe
        ShuffleDataFramesPipe""",
    "data.datapipes.dataframe.structures": "DataChunkDF",
    "data.datapipes.iter.routeddecoder": "RoutedDecoderIterDataPipe",
    "data.datapipes.utils.decoder": """Decoder ImageHandler MatHandler audiohandler basichandlers
        extension_extract_fn handle_extension imagehandler mathandler videohandler""",
    "debug_log": "debug_grad_log",
    "hipify": "",
    "hipify.hipify_python": """CurrentState GeneratedFileCleaner HipifyResult InputError Trie
        add_dim3 compute_stats extract_arguments file_add_header file_specific_replacement
        find_bracket_group find_closure_group find_parentheses_group fix_static_global_kernels
        get_hip_file_path hip_header_magic hipify is_caffe2_gpu_file is_cusparse_file
        is_out_of_place is_pytorch_file is_special_file match_extensions matched_files_iter openf
        preprocess_file_and_save_result preprocessor processKernelLaunches replace_extern_shared
        replace_math_functions str2bool""",
    "jit": "",
    "jit.log_extract": """extract_ir load_graph_and_inputs make_tensor_from_type no_fuser
        run_baseline_no_fusion run_nnc run_nvfuser run_test time_cpu time_cuda""",
    "mkldnn": """MkldnnBatchNorm MkldnnConv1d MkldnnConv2d MkldnnConv3d MkldnnLinear MkldnnPrelu
        to_mkldnn""",
    "mobile_optimizer": "LintCode generate_mobile_module_lints optimize_for_mobile",
    "model_dump": """burn_in_info get_info_and_burn_skeleton get_inline_skeleton get_model_info
        get_storage_info hierarchical_pickle""",
}

FINDER = NamedParts("torch.utils", _NAMES, "{name} does not exist in this build")
