"""Data sets, samplers, and the DataLoader, which turns them into batches."""

from torch._published import publish_all as _publish_all
from torch.utils.data._utils.collate import default_collate, default_convert
from torch.utils.data._utils.dataset_kind import _DatasetKind
from torch.utils.data._utils.worker_info import get_worker_info
from torch.utils.data.dataloader import DataLoader
from torch.utils.data.dataset import (
    ChainDataset,
    ConcatDataset,
    Dataset,
    IterableDataset,
    StackDataset,
    Subset,
    TensorDataset,
    random_split,
)
from torch.utils.data.distributed import DistributedSampler
from torch.utils.data.sampler import (
    BatchSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    SubsetRandomSampler,
    WeightedRandomSampler,
)

__all__ = [
    "BatchSampler",
    "ChainDataset",
    "ConcatDataset",
    "DataChunk",
    "DataLoader",
    "Dataset",
    "DistributedSampler",
    "IterDataPipe",
    "IterableDataset",
    "MapDataPipe",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "StackDataset",
    "Subset",
    "SubsetRandomSampler",
    "TensorDataset",
    "WeightedRandomSampler",
    "_DatasetKind",
    "default_collate",
    "default_convert",
    "functional_datapipe",
    "get_worker_info",
    "random_split",
]

_publish_all(globals(), ["get_worker_info"])


def __getattr__(name):
    if name in ("DataChunk", "IterDataPipe", "MapDataPipe", "datapipes", "functional_datapipe"):
        from importlib import import_module

        module = import_module("torch.utils.data.datapipes")
        return module if name == "datapipes" else getattr(module.datapipe, name)
    raise AttributeError(f"module 'torch.utils.data' has no attribute '{name}'")
