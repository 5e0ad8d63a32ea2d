"""The function that programs of 2021 passed to DataLoaders of data pipes."""

import warnings


def worker_init_fn(worker_id):
    """Do nothing: a DataLoader divides data pipes among its workers by itself.

    Example:
        >>> from torch.utils.data.backward_compatibility import worker_init_fn
        >>> loader = torch.utils.data.DataLoader([1, 2], worker_init_fn=worker_init_fn)
        >>> [batch.item() for batch in loader]
        [1, 2]
    """
    warnings.warn(
        "Usage of backward_compatibility.worker_init_fn is deprecated as DataLoader automatically applies "
        "sharding in every worker",
        stacklevel=2,
    )
