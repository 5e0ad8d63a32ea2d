"""The names of quantization that this build lacks: graph mode, reference and sparse layers."""

NAMES = {
    "nn.intrinsic.quantized.modules.conv_add": "ConvAdd2d ConvAddReLU2d",
    "nn.quantizable.modules.activation": "MultiheadAttention",
    "nn.quantized.dynamic.modules.conv": """Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d
        ConvTranspose3d""",
    "nn.quantized.reference": """Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d
        ConvTranspose3d Embedding EmbeddingBag GRU GRUCell LSTM LSTMCell Linear RNNCell""",
    "nn.quantized.reference.modules": """Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d
        ConvTranspose3d Embedding EmbeddingBag GRU GRUCell LSTM LSTMCell Linear RNNCell""",
    "nn.quantized.reference.modules.conv": """Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d
        ConvTranspose3d""",
    "nn.quantized.reference.modules.linear": "Linear",
    "nn.quantized.reference.modules.rnn": """GRU GRUCell LSTM LSTMCell RNNBase RNNCell RNNCellBase
        get_quantized_weight""",
    "nn.quantized.reference.modules.sparse": "Embedding EmbeddingBag",
    "nn.quantized.reference.modules.utils": "ReferenceQuantizedModule",
    "nn.sparse": "",
    "nn.sparse.quantized": "Linear LinearPackedParams",
    "nn.sparse.quantized.dynamic": "Linear",
    "nn.sparse.quantized.dynamic.linear": "Linear",
    "nn.sparse.quantized.linear": "Linear LinearPackedParams",
    "nn.sparse.quantized.utils": "LinearBlockSparsePattern",
    "ns": "",
    "ns.fx": "",
    "ns.fx.graph_matcher": """GraphMatchingException SubgraphTypeRelationship
        get_matching_subgraph_pairs""",
    "ns.fx.graph_passes": "add_loggers_to_model create_a_shadows_b",
    "ns.fx.mappings": """add_op_to_sets_of_related_ops get_base_name_for_op
        get_base_name_to_sets_of_related_ops get_node_type_to_io_type_map
        get_unmatchable_types_map""",
    "ns.fx.n_shadows_utils": """OutputProp create_add_loggers_graph
        create_n_transformed_and_logged_copies_of_subgraph
        create_one_transformed_and_logged_copy_of_subgraph create_results_comparison
        create_submodule_from_subgraph extract_weight_comparison group_results_by_subgraph
        print_n_shadows_summary""",
    "ns.fx.ns_types": "NSSingleResultValuesType NSSubgraph",
    "ns.fx.pattern_utils": """end_node_matches_reversed_fusion get_reversed_fusions
        get_type_a_related_to_b""",
    "ns.fx.qconfig_multi_mapping": "QConfigMultiMapping",
    "ns.fx.utils": """NodeInputOrOutputType compute_cosine_similarity compute_normalized_l2_error
        compute_sqnr get_arg_indices_of_inputs_to_log get_node_first_input_and_output_type
        get_node_input_qparams get_normalized_nth_input get_number_of_non_param_args
        get_target_type_str maybe_add_missing_fqns
        maybe_dequantize_first_two_tensor_args_and_handle_tuples op_type_supports_shadowing
        rekey_logger_info_on_node_name_of_model return_first_non_observer_node""",
    "ns.fx.weight_utils": """extract_weight_from_node get_conv_fun_weight get_conv_mod_weight
        get_linear_fun_weight get_linear_mod_weight get_lstm_mod_weights get_lstm_weight
        get_op_to_type_to_weight_extraction_fn get_qconv_fun_weight get_qlinear_fun_weight
        get_qlstm_weight mod_0_weight_detach mod_weight_bias_0 mod_weight_detach""",
    "quantization.backend_config": """BackendConfig BackendPatternConfig DTypeConfig
        DTypeWithConstraints ObservationType get_executorch_backend_config
        get_fbgemm_backend_config get_native_backend_config get_onednn_backend_config
        get_qnnpack_backend_config get_tensorrt_backend_config get_x86_backend_config""",
    "quantization.backend_config.backend_config": """BackendConfig BackendPatternConfig
        DTypeConfig DTypeWithConstraints ObservationType""",
    "quantization.backend_config.executorch": "get_executorch_backend_config",
    "quantization.backend_config.fbgemm": "get_fbgemm_backend_config",
    "quantization.backend_config.native": """get_native_backend_config
        get_native_backend_config_dict get_test_only_legacy_native_backend_config
        get_test_only_legacy_native_backend_config_dict""",
    "quantization.backend_config.onednn": "get_onednn_backend_config",
    "quantization.backend_config.qnnpack": "get_qnnpack_backend_config",
    "quantization.backend_config.tensorrt": """get_tensorrt_backend_config
        get_tensorrt_backend_config_dict""",
    "quantization.backend_config.utils": """entry_to_pretty_str get_fused_module_classes
        get_fuser_method_mapping get_fusion_pattern_to_extra_inputs_getter
        get_fusion_pattern_to_root_node_getter get_module_to_qat_module
        get_pattern_to_dtype_configs get_pattern_to_input_type_to_index get_qat_module_classes
        get_root_module_to_quantized_reference_module pattern_to_human_readable
        remove_boolean_dispatch_from_name""",
    "quantization.backend_config.x86": "get_x86_backend_config",
    "quantization.fx": "",
    "quantization.fx._decomposed": "",
    "quantization.fx.convert": """convert convert_custom_module convert_standalone_module
        convert_weighted_module""",
    "quantization.fx.custom_config": """ConvertCustomConfig FuseCustomConfig PrepareCustomConfig
        StandaloneModuleConfigEntry""",
    "quantization.fx.fuse": "FuseHandler fuse",
    "quantization.fx.fuse_handler": "DefaultFuseHandler FuseHandler",
    "quantization.fx.graph_module": """FusedGraphModule ObservedGraphModule
        ObservedStandaloneGraphModule QuantizedGraphModule""",
    "quantization.fx.lower_to_fbgemm": "lower_to_fbgemm",
    "quantization.fx.lower_to_qnnpack": "lower_to_qnnpack",
    "quantization.fx.lstm_utils": "",
    "quantization.fx.match_utils": """Graph MatchAllNode Node QuantizeHandler
        type_before_parametrizations""",
    "quantization.fx.pattern_utils": """get_default_fusion_patterns
        get_default_output_activation_post_process_map get_default_quant_patterns""",
    "quantization.fx.prepare": """insert_observers_for_model prepare
        propagate_dtypes_for_known_nodes""",
    "quantization.fx.qconfig_mapping_utils": """BackendConfig DTypeConfig Graph GraphModule
        QConfig QConfigMapping get_module_to_qat_module get_qconfig_dtypes qconfig_equals""",
    "quantization.fx.quantize_handler": """BatchNormQuantizeHandler BinaryOpQuantizeHandler
        CatQuantizeHandler ConvReluQuantizeHandler CopyNodeQuantizeHandler
        CustomModuleQuantizeHandler DefaultNodeQuantizeHandler EmbeddingQuantizeHandler
        FixedQParamsOpQuantizeHandler GeneralTensorShapeOpQuantizeHandler
        LinearReLUQuantizeHandler QuantizeHandler RNNDynamicQuantizeHandler
        StandaloneModuleQuantizeHandler""",
    "quantization.fx.tracer": "QuantizationTracer",
    "quantization.fx.utils": """NodeInfo ObservedGraphModuleAttrs all_node_args_except_first
        all_node_args_have_no_tensors assert_and_get_unique_device collect_producer_nodes
        create_getattr_from_value create_node_from_old_node_preserve_meta
        get_custom_module_class_keys get_linear_prepack_op_for_dtype get_new_attr_name_with_prefix
        get_non_observable_arg_indexes_and_types get_qconv_prepack_op
        get_skipped_module_name_and_classes graph_module_from_producer_nodes maybe_get_next_module
        node_arg_is_bias node_arg_is_weight return_arg_list""",
    "quantization.quantize_fx": """convert_fx fuse_fx prepare_fx prepare_qat_fx
        convert_to_reference_fx""",
    "quantization.quantize_jit": """convert_dynamic_jit convert_jit fuse_conv_bn_jit
        prepare_dynamic_jit prepare_jit quantize_dynamic_jit quantize_jit script_qconfig
        script_qconfig_dict""",
}
