"""The names of device meshes, for annotations."""

from torch.distributed import DeviceMesh, init_device_mesh

__all__ = ["DeviceMesh", "init_device_mesh"]
