"""Pipes that change the order of items, by their names in PyTorch."""

from torch.utils.data.datapipes.iter import Sampler as SamplerIterDataPipe
from torch.utils.data.datapipes.iter import Shuffler as ShufflerIterDataPipe

__all__ = ["SamplerIterDataPipe", "ShufflerIterDataPipe"]
