"""Levels of function transforms: dual tensors of forward mode and batched tensors of vmap."""
