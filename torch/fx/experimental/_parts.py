"""The names of torch.fx.experimental that this build lacks."""

NAMES = {
    "accelerator_partitioner": """DAG DAGNode PartitionResult Partitioner check_dependency
        combine_two_partitions get_bfs_level_partition get_device_partition_stats
        get_device_to_partitions_mapping get_logical_id_to_device get_node_to_partition_mapping
        reorganize_partitions reset_partition_device set_parents_and_children""",
    "debug": "set_trace",
    "dynamic_spec": "DictSpec IntVar ObjectSpec ParamsSpec SeqSpec ShapeVar ShapesSpec TensorSpec",
    "graph_gradual_typechecker": """GraphTypeChecker Refine adaptiveavgpool2d_check
        adaptiveavgpool2d_inference_rule add_inference_rule all_eq bn2d_inference_rule
        broadcast_types calculate_out_dimension conv2d_inference_rule conv_refinement_rule
        conv_rule element_wise_eq expand_to_tensor_dim first_two_eq flatten_check
        flatten_inference_rule flatten_refinement_rule get_attr_inference_rule
        get_greatest_upper_bound get_parameter linear_check linear_inference_rule
        linear_refinement_rule maxpool2d_check maxpool2d_inference_rule
        register_algebraic_expressions_inference_rule register_inference_rule
        register_refinement_rule relu_inference_rule reshape_inference_rule
        transpose_inference_rule""",
    "merge_matmul": "are_nodes_independent may_depend_on merge_matmul split_result_tensors",
    "meta_tracer": """MetaAttribute MetaDeviceAttribute MetaProxy MetaTracer embedding_override
        functional_relu_override gen_constructor_wrapper nn_layernorm_override proxys_to_metas
        symbolic_trace torch_abs_override torch_nn_relu_override torch_relu_override
        torch_where_override""",
    "migrate_gradual_types": "",
    "migrate_gradual_types.constraint": """ApplyBroadcasting BVar BinConstraintD BinConstraintT
        BinaryConstraint CalcConv CalcMaxPool CalcProduct CanReshape Conj Constraint
        DGreatestUpperBound DVar Disj F GetItem GetItemTensor IndexSelect Prod T
        TGreatestUpperBound TVar Transpose is_algebraic_expression is_bool_expr is_dim""",
    "migrate_gradual_types.constraint_generator": """ConstraintGenerator adaptive_inference_rule
        add_layer_norm_constraints add_linear_constraints arange_inference_rule
        assert_inference_rule batchnorm_inference_rule bmm_inference_rule
        broadcasting_inference_rule conv2d_inference_rule cumsum_inference_rule
        embedding_inference_rule embedding_inference_rule_functional eq_inference_rule
        equality_inference_rule expand_inference_rule flatten_inference_rule full_inference_rule
        gen_broadcasting_constraints gen_embedding_rules gen_layer_norm_constraints
        generate_flatten_constraints get_attr_inference_rule getitem_inference_rule
        gt_inference_rule index_select_inference_rule layer_norm_functional
        layer_norm_inference_rule linear_constraints linear_inference_rule lt_inference_rule
        masked_fill_inference_rule maxpool_inference_rule neq_inference_rule range_check
        register_inference_rule relu_inference_rule reshape_inference_rule size_inference_rule
        tensor_inference_rule torch_dim_inference_rule torch_linear_inference_rule
        transpose_inference_rule type_inference_rule view_inference_rule""",
    "migrate_gradual_types.constraint_transformation": """apply_padding broadcast_dim
        calc_last_two_dims create_equality_constraints_for_broadcasting
        gen_all_reshape_possibilities gen_broadcasting_constraints gen_consistency_constraints
        gen_greatest_upper_bound gen_lists_of_dims
        generate_all_broadcasting_possibilities_no_padding generate_all_int_dyn_dim_possibilities
        generate_binconstraint_d generate_binconstraint_t generate_broadcasting generate_calc_conv
        generate_calc_maxpool generate_calc_product generate_conj generate_d_gub generate_disj
        generate_gub generate_reshape is_dim_div_by_target is_target_div_by_dim
        no_broadcast_dim_with_index register_transformation_rule transform_constraint
        transform_get_item transform_get_item_tensor transform_index_select transform_transpose
        valid_index valid_index_tensor""",
    "migrate_gradual_types.transform_to_z3": "",
    "normalize": "NormalizeArgs NormalizeOperators",
    "partitioner_utils": """Device NodeLatency Partition PartitionLatency PartitionMode
        PartitionerConfig get_comm_latency_between get_extra_size_of get_latency_of_one_partition
        get_latency_of_partitioned_graph get_partition_to_latency_mapping""",
    "recording": """FakeTensorMeta NotEqualError ShapeEnvEvent record_shapeenv_event
        replay_shape_env_events shape_env_check_state_equal""",
    "refinement_types": "Equality",
    "schema_type_annotation": "AnnotateTypesWithSchema",
    "sym_node": "DynamicInt SymNode method_to_operator",
    "unification": "Var isvar reify unifiable unify var variables vars",
    "unification.core": "reify unify",
    "unification.match": "Dispatcher VarDispatcher edge match ordering supercedes",
    "unification.more": "reify_object unifiable unify_object",
    "unification.multipledispatch": """Dispatcher MDNotImplementedError dispatch halt_ordering
        restart_ordering""",
    "unification.multipledispatch.conflict": """AmbiguityWarning ambiguities ambiguous consistent
        edge ordering super_signature supercedes""",
    "unification.multipledispatch.core": "dispatch ismethod",
    "unification.multipledispatch.dispatcher": """Dispatcher MDNotImplementedError
        MethodDispatcher ambiguity_warn halt_ordering restart_ordering source str_signature
        variadic_signature_matches variadic_signature_matches_iter warning_text""",
    "unification.multipledispatch.utils": "expand_tuples groupby raises reverse_dict typename",
    "unification.multipledispatch.variadic": """Variadic VariadicSignatureMeta
        VariadicSignatureType isvariadic""",
    "unification.utils": "freeze hashable raises reverse_dict transitive_get xfail",
    "unification.variable": "Var var variables vars",
    "unify_refinements": """check_for_type_equality convert_eq infer_symbolic_types
        infer_symbolic_types_single_pass substitute_all_types substitute_solution_one_type
        unify_eq""",
    "validator": """BisectValidationException ValidationException translation_validation_enabled
        translation_validation_timeout""",
}
