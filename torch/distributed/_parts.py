"""The names in submodules of torch.distributed; none works without a back end."""

_FSDP_CONFIGS = """FullOptimStateDictConfig FullStateDictConfig LocalOptimStateDictConfig
LocalStateDictConfig OptimStateDictConfig ShardedOptimStateDictConfig ShardedStateDictConfig
StateDictConfig StateDictSettings StateDictType"""
_FSDP2 = """CPUOffloadPolicy FSDPModule MixedPrecisionPolicy OffloadPolicy UnshardHandle fully_shard
register_fsdp_forward_method share_comm_ctx"""
_FSDP = f"""BackwardPrefetch CPUOffload DataParallelMeshDims FullyShardedDataParallel MixedPrecision
OptimStateKeyType ShardingStrategy {_FSDP_CONFIGS} {_FSDP2}"""
_TENSOR = """DTensor Partial Placement Replicate Shard distribute_module distribute_tensor empty full
ones rand randn zeros"""
_COLLECTIVES = """all_gather all_reduce all_to_all all_to_all_single broadcast gather reduce
reduce_scatter scatter"""

_SETTINGS = f"""{_FSDP_CONFIGS} BackwardPrefetch CPUOffload MixedPrecision ShardingStrategy
CPUOffloadPolicy MixedPrecisionPolicy OffloadPolicy _get_module_state"""
_STATE_DICTS = """StateDictOptions _init_optim_state get_model_state_dict get_optimizer_state_dict
get_state_dict set_model_state_dict set_optimizer_state_dict set_state_dict"""

DEFINED = {
    **dict.fromkeys(_SETTINGS.split(), "torch.distributed._fsdp_settings"),
    **dict.fromkeys(_STATE_DICTS.split(), "torch.distributed._state_dicts"),
}
"""The names that a module of this build defines, which works in one process, and that module."""

NAMES = {
    "_composable": "checkpoint contract replicate",
    "_composable.fsdp": _FSDP2,
    "_composable.fsdp.fully_shard": "FSDPModule fully_shard",
    "_composable_state": "_get_module_state",
    "_composable.replicate": "replicate",
    "_functional_collectives": f"""AsyncCollectiveTensor all_gather_tensor all_gather_tensor_autograd
        all_to_all_single_autograd reduce_scatter_tensor reduce_scatter_tensor_autograd permute_tensor
        wait_tensor {_COLLECTIVES}""",
    "_shard": "load_with_process_group shard_module shard_parameter",
    "_shard.sharded_tensor": "Shard ShardedTensor ShardMetadata",
    "_state_dict_utils": "_broadcast_tensors _gather_state_dict _offload_state_dict_to_cpu",
    "_symmetric_memory": "empty enable_symm_mem_for_group get_symm_mem_workspace rendezvous",
    "_tensor": f"DeviceMesh {_TENSOR}",
    "_tensor.api": "DTensor distribute_module distribute_tensor",
    "_tensor.experimental": "context_parallel implicit_replication local_map register_sharding",
    "_tensor.device_mesh": "DeviceMesh init_device_mesh",
    "_tensor.placement_types": """DTensorSpec Partial Placement Replicate Shard TensorMeta
        _StridedShard""",
    "c10d_logger": "",
    "config": "",
    "logging_handlers": "",
    "remote_device": "_remote_device",
    "autograd": "DistAutogradContext backward context get_gradients is_available",
    "algorithms": "Join JoinHook Joinable",
    "algorithms._checkpoint": "",
    "algorithms._checkpoint.checkpoint_wrapper": """ActivationWrapper CheckpointImpl CheckpointWrapper
        OffloadWrapper apply_activation_checkpointing checkpoint_wrapper offload_wrapper""",
    "algorithms.ddp_comm_hooks": "DDPCommHookType register_ddp_comm_hook",
    "algorithms.ddp_comm_hooks.default_hooks": """allreduce_hook bf16_compress_hook
        bf16_compress_wrapper fp16_compress_hook fp16_compress_wrapper""",
    "algorithms.ddp_comm_hooks.optimizer_overlap_hooks": "",
    "algorithms.ddp_comm_hooks.post_localSGD_hook": "PostLocalSGDState post_localSGD_hook",
    "algorithms.ddp_comm_hooks.powerSGD_hook": "PowerSGDState batched_powerSGD_hook powerSGD_hook",
    "algorithms.join": "Join JoinHook Joinable",
    "algorithms.model_averaging": "",
    "algorithms.model_averaging.averagers": "ModelAverager PeriodicModelAverager",
    "checkpoint": """BytesStorageMetadata CheckpointException ChunkStorageMetadata DefaultLoadPlanner
        DefaultSavePlanner FileSystemReader FileSystemWriter HuggingFaceStorageReader
        HuggingFaceStorageWriter LoadPlan LoadPlanner Metadata ReadItem SavePlan SavePlanner
        StorageReader StorageWriter TensorStorageMetadata WriteItem async_save load load_state_dict
        load_sharded_optimizer_state_dict save save_state_dict""",
    "checkpoint._fsspec_filesystem": "FsspecReader FsspecWriter",
    "checkpoint.default_planner": "DefaultLoadPlanner DefaultSavePlanner",
    "checkpoint._consolidate_hf_safetensors": "consolidate_safetensors_files",
    "checkpoint.format_utils": """_EmptyStateDictLoadPlanner _load_state_dict dcp_to_torch_save
        torch_save_to_dcp""",
    "checkpoint.hf_storage": "HuggingFaceStorageReader HuggingFaceStorageWriter",
    "checkpoint.state_dict_loader": "_load_state_dict load load_state_dict",
    "checkpoint.state_dict_saver": "async_save save save_state_dict",
    "checkpoint.quantized_hf_storage": "QuantizedHuggingFaceStorageReader",
    "checkpoint.staging": "AsyncStager BlockingAsyncStager DefaultStager StagingOptions",
    "checkpoint.storage": "StorageReader StorageWriter WriteResult",
    "checkpoint.optimizer": "load_sharded_optimizer_state_dict",
    "checkpoint.planner": "LoadPlan LoadPlanner SavePlan SavePlanner",
    "checkpoint.state_dict": _STATE_DICTS,
    "checkpoint.stateful": "Stateful",
    "elastic": "",
    "elastic.agent": "",
    "elastic.agent.server": "",
    "elastic.utils": "get_env_variable_or_raise get_socket_with_port macros",
    "elastic.utils.distributed": "create_c10d_store get_free_port get_socket_with_port",
    "elastic.multiprocessing": """DefaultLogsSpecs LogsDest LogsSpecs MultiprocessContext PContext
        ProcessFailure RunProcsResult SignalException Std SubprocessContext start_processes to_map""",
    "elastic.multiprocessing.errors": """ChildFailedError ErrorHandler ProcessFailure get_error_handler
        record""",
    "fsdp": _FSDP,
    "fsdp._common_utils": "FSDPParamInfo _FSDPState _get_module_fsdp_state",
    "fsdp._fully_shard": _FSDP2,
    "fsdp._fully_shard._fsdp_param_group": "FSDPParamGroup",
    "fsdp._runtime_utils": "_lazy_init _root_pre_forward",
    "fsdp._traversal_utils": "",
    "fsdp.api": _FSDP_CONFIGS + " BackwardPrefetch CPUOffload MixedPrecision ShardingStrategy",
    "fsdp.fully_sharded_data_parallel": f"{_FSDP} FlatParameter",
    "fsdp.sharded_grad_scaler": "ShardedGradScaler",
    "fsdp.wrap": """CustomPolicy ModuleWrapPolicy _or_policy always_wrap_policy enable_wrap
        lambda_auto_wrap_policy size_based_auto_wrap_policy transformer_auto_wrap_policy wrap""",
    "launcher": "LaunchConfig elastic_launch launch_agent",
    "launcher.api": "LaunchConfig elastic_launch launch_agent",
    "nn": f"RemoteModule {_COLLECTIVES}",
    "nn.api": "",
    "nn.api.remote_module": "RemoteModule",
    "nn.functional": _COLLECTIVES,
    "optim": """DistributedOptimizer PostLocalSGDOptimizer ZeroRedundancyOptimizer
        as_functional_optim""",
    "optim.zero_redundancy_optimizer": "ZeroRedundancyOptimizer",
    "pipelining": """Pipe PipelineStage Schedule1F1B ScheduleGPipe ScheduleInterleaved1F1B
        ScheduleInterleavedZeroBubble ScheduleLoopedBFS ScheduleZBVZeroBubble SplitPoint build_stage
        pipe_split pipeline""",
    "pipelining.microbatch": "TensorChunkSpec",
    "pipelining.schedules": "PipelineScheduleMulti PipelineScheduleSingle",
    "rpc": """BackendType PyRRef RRef RpcBackendOptions TensorPipeRpcBackendOptions WorkerInfo
        get_worker_info init_rpc is_available remote rpc_async rpc_sync shutdown""",
    "run": "get_args_parser main run",
    "tensor": _TENSOR,
    "tensor._utils": "compute_local_shape_and_global_offset",
    "tensor.device_mesh": "DeviceMesh init_device_mesh",
    "tensor.experimental._attention": "set_rotate_method",
    "tensor.experimental": "context_parallel implicit_replication local_map register_sharding",
    "tensor.parallel": """ColwiseParallel ParallelStyle PrepareModuleInput PrepareModuleInputOutput
        PrepareModuleOutput RowwiseParallel SequenceParallel loss_parallel parallelize_module""",
    "tensor.parallel.style": "ColwiseParallel ParallelStyle PrepareModuleInput RowwiseParallel",
    "tensor.placement_types": "Partial Placement Replicate Shard _StridedShard",
    "utils": """_apply_to_tensors _replace_by_prefix _sync_module_states
        _verify_param_shape_across_processes""",
}
