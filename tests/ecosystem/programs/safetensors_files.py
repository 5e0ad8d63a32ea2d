"""safetensors: files of many dtypes, and a model that is saved and loaded."""

import os
import tempfile

from safetensors import safe_open
from safetensors.torch import load, load_file, load_model, save, save_file, save_model

import torch
from report import report
from torch import nn

torch.manual_seed(0)
names = ("float16", "bfloat16", "float32", "float64", "int8", "int16", "int64", "uint8")
tensors = {name: torch.arange(6).to(getattr(torch, name)).reshape(2, 3) for name in names}
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "tensors.safetensors")
    save_file(tensors, path, metadata={"made": "here"})
    loaded = load_file(path)
    with safe_open(path, "pt") as file:
        column = file.get_slice("float32")[:, 1]
    model, other = (nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4)) for _ in range(2))
    save_model(model, os.path.join(folder, "model.safetensors"))
    load_model(other, os.path.join(folder, "model.safetensors"))
x = torch.randn(5, 3)
size = len(save(tensors))
report(size=size, output=other(x), column=column, **loaded, **load(save({"again": x})))
