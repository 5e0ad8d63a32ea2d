"""Settings of deterministic algorithms."""

fill_uninitialized_memory = False
"""Whether new memory is filled when deterministic algorithms are on. This build never fills it."""
