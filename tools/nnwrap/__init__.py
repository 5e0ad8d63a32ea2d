"""Generators for the kernels of aten/src/THNN: Python methods, and at::legacy::th with its dispatchers."""
