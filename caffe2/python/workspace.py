"""Blobs and nets of the current workspace."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import torch
from caffe2.python import C, caffe2_pb2
from caffe2.python.core import BlobReference, Net

CurrentWorkspace = C.current_workspace
Workspaces = C.workspace_names
Blobs = C.blobs
Nets = C.nets


has_gpu_support: bool = C.has_gpu_support
"""Whether this build runs operators on CUDA devices."""
GpuDeviceType = caffe2_pb2.PROTO_CUDA


def NumGpuDevices() -> int:
    """Return how many CUDA devices there are; 0 in a build without them."""
    return C.num_gpu_devices() if has_gpu_support else 0


def _device(option: Any) -> str:
    if option.device_type == caffe2_pb2.PROTO_CPU:
        return "cpu"
    if option.device_type == caffe2_pb2.PROTO_CUDA:
        return f"cuda:{option.device_id}"
    raise ValueError(f"there is no device type {option.device_type}")


def FeedBlob(name: str | BlobReference, value: Any, device_option: Any = None) -> bool:
    """Set a blob to a copy of an array, a tensor, or what `numpy.array` accepts.

    With a device option, the copy is on that device.
    """
    if not isinstance(value, torch.Tensor):
        array = np.array(value, copy=True)
        if array.dtype.kind not in "biufc":
            raise TypeError(f"the blob {str(name)!r} cannot hold an array of {array.dtype}")
        value = torch.from_numpy(array)
    else:
        value = value.detach().clone()
    C.feed_blob(str(name), value if device_option is None else value.to(_device(device_option)))
    return True


def FetchTensor(name: str | BlobReference) -> torch.Tensor:
    """Return the tensor of a blob, without a copy."""
    tensor: torch.Tensor = C.fetch_blob(str(name))
    return tensor


def FetchBlob(name: str | BlobReference) -> np.ndarray[Any, Any]:
    """Return a copy of a blob as an array."""
    array: np.ndarray[Any, Any] = FetchTensor(name).cpu().numpy().copy()
    return array


def FetchBlobs(names: Sequence[str | BlobReference]) -> list[np.ndarray[Any, Any]]:
    """Return copies of several blobs."""
    return [FetchBlob(name) for name in names]


def HasBlob(name: str | BlobReference) -> bool:
    """Return whether the workspace has the blob."""
    return bool(C.has_blob(str(name)))


def CreateBlob(name: str | BlobReference) -> bool:
    """Add a blob without a value, so that a net which reads it can be created."""
    C.create_blob(str(name))
    return True


def ResetWorkspace() -> bool:
    """Drop all blobs and nets of the workspace."""
    C.reset_workspace()
    return True


def SwitchWorkspace(name: str, create_if_missing: bool = False) -> None:
    """Make another workspace the current one."""
    C.switch_workspace(name, create_if_missing)


def _net_bytes(net: Any) -> bytes:
    proto = net.Proto() if hasattr(net, "Proto") else net
    return proto if isinstance(proto, bytes) else bytes(proto.SerializeToString())


def CreateNet(net: Net | Any, overwrite: bool = False, input_blobs: Sequence[str] = ()) -> str:
    """Add a net to the workspace and return its name; its outputs become blobs."""
    for name in input_blobs:
        C.create_blob(str(name))
    return str(C.create_net(_net_bytes(net), overwrite))


def RunNet(net: str | Net | Any, num_iter: int = 1) -> bool:
    """Run a net of the workspace, by its name, so many times."""
    name = net if isinstance(net, str) else net.Name() if hasattr(net, "Name") else net.name
    C.run_net(name, num_iter)
    return True


def RunNetOnce(net: Net | Any) -> bool:
    """Run a net that is not added to the workspace; its blobs are."""
    C.run_net_once(_net_bytes(net))
    return True


def RunOperatorOnce(operator: Any) -> bool:
    """Run one operator."""
    if not isinstance(operator, caffe2_pb2.OperatorDef):
        raise TypeError(f"expected an OperatorDef, but got {type(operator).__name__}")
    C.run_operator_once(operator.SerializeToString())
    return True


def RunOperatorsOnce(operators: Sequence[Any]) -> bool:
    """Run several operators, in their order."""
    return all(RunOperatorOnce(operator) for operator in operators)


def DeleteNet(name: str) -> bool:
    """Drop a net; return whether there was one."""
    return bool(C.delete_net(name))
