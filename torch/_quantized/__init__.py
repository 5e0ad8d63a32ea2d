"""Quantized tensors: integers, and the parameters that give them their values. Imported at the first use."""

from torch._quantized import _rules
