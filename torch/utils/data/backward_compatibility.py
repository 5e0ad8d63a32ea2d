"""The function that programs of 2021 passed to DataLoaders of data pipes."""

import warnings


def worker_init_fn(worker_id):
    """Do nothing: a DataLoader divides data pipes among its workers by itself."""
    warnings.warn(
        "Usage of backward_compatibility.worker_init_fn is deprecated as DataLoader automatically applies "
        "sharding in every worker",
        stacklevel=2,
    )
