"""Let PyTorch without CUDA import the torchvision of the package index, whose operators need CUDA's libraries.

Without them torchvision registers a kernel for operators that nothing has declared. Only PyTorch's side of the
comparison has this folder on its path; no program calls the operator.
"""

import importlib.util

if importlib.util.find_spec("torchvision") is not None:
    import torch

    if not torch.cuda.is_available():
        for name in ("nms", "qnms"):
            schema = "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor"
            torch.library.define(f"torchvision::{name}", schema)
