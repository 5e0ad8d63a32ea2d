"""torch.package: archives of objects together with the source code that they need.

    with PackageExporter("model.pt") as exporter:
        exporter.intern("my_models.**")
        exporter.save_pickle("model", "model.pkl", model)

    model = PackageImporter("model.pt").load_pickle("model", "model.pkl")

The files are those of PyTorch, in both directions.
"""

from torch._lazy_attributes import import_at_use as _import_at_use
from torch.package._mangling import is_from_package
from torch.package.directory import Directory
from torch.package.glob_group import GlobGroup
from torch.package.importer import (
    Importer,
    ObjMismatchError,
    ObjNotFoundError,
    OrderedImporter,
    sys_importer,
)
from torch.package.package_exporter import EmptyMatchError, PackageExporter, PackagingError
from torch.package.package_importer import PackageImporter

__all__ = [
    "Directory",
    "EmptyMatchError",
    "GlobGroup",
    "Importer",
    "ObjMismatchError",
    "ObjNotFoundError",
    "OrderedImporter",
    "PackageExporter",
    "PackageImporter",
    "PackagingError",
    "is_from_package",
    "sys_importer",
]

__getattr__ = _import_at_use(__name__)
