"""Build nets (core, model_helper, brew) and run them (workspace)."""

from __future__ import annotations

import importlib.util

import torch  # noqa: F401 (loads the libraries that the extension module needs)

try:
    from caffe2.python import caffe2_pybind11_state
except ImportError as error:
    if error.name == "caffe2.python.caffe2_pybind11_state" or "cannot import name" in str(error):
        raise ImportError(
            "this build has no Caffe2; build with BUILD_CAFFE2=ON python setup.py develop"
        ) from error
    raise

C = caffe2_pybind11_state
"""The extension module that this build has: with CUDA devices, caffe2_pybind11_state_gpu."""
if importlib.util.find_spec("caffe2.python.caffe2_pybind11_state_gpu") is not None:
    C = importlib.import_module("caffe2.python.caffe2_pybind11_state_gpu")

try:
    from caffe2.proto import caffe2_pb2
except ImportError as error:
    raise ImportError(
        f"caffe2.python needs the package protobuf (pip install 'protobuf>=4.21'): {error}"
    ) from error

__all__ = ["C", "caffe2_pb2", "caffe2_pybind11_state"]
