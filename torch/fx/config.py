"""Settings of torch.fx that programs read and write; this build shows no progress and ignores them."""

disable_progress = True
verbose_progress = False
do_not_emit_stack_traces = False
