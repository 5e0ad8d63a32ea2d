"""Data sets, samplers, and the DataLoader, which turns them into batches."""

from torch._lazy_attributes import import_at_use as _import_at_use
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

TYPE_CHECKING = False  # these names are made below, or at their first use
if TYPE_CHECKING:
    from torch._C._late_utils_data import *  # noqa: F403

__all__ = [
    "BatchSampler",
    "ChainDataset",
    "ConcatDataset",
    "DataChunk",  # noqa: F405
    "DataLoader",
    "Dataset",
    "DistributedSampler",
    "IterDataPipe",  # noqa: F405
    "IterableDataset",
    "MapDataPipe",  # noqa: F405
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
    "functional_datapipe",  # noqa: F405
    "get_worker_info",
    "random_split",
]

_publish_all(globals(), ["get_worker_info"])


_HOMES = dict.fromkeys(
    ("DataChunk", "IterDataPipe", "MapDataPipe", "functional_datapipe"), "datapipes.datapipe"
)
__getattr__ = _import_at_use(__name__, homes=_HOMES)
