"""Pipes that are iterated over."""

from torch._lazy_attributes import import_at_use as _import_at_use
from torch._moved_modules import publish_pipes as _publish_pipes
from torch.utils.data.datapipes.iter._combining import (
    Concater,
    Demultiplexer,
    Forker,
    Multiplexer,
    Zipper,
)
from torch.utils.data.datapipes.iter._files import FileLister, FileOpener, StreamReader
from torch.utils.data.datapipes.iter._items import (
    Batcher,
    Collator,
    Filter,
    IterableWrapper,
    Mapper,
    UnBatcher,
)
from torch.utils.data.datapipes.iter._ordering import Grouper, Sampler, ShardingFilter, Shuffler

__all__ = [
    "Batcher",
    "Collator",
    "Concater",
    "Demultiplexer",
    "FileLister",
    "FileOpener",
    "Filter",
    "Forker",
    "Grouper",
    "IterableWrapper",
    "Mapper",
    "Multiplexer",
    "Sampler",
    "ShardingFilter",
    "Shuffler",
    "StreamReader",
    "UnBatcher",
    "Zipper",
]

_publish_pipes(globals(), "iter")

__getattr__ = _import_at_use(__name__)
