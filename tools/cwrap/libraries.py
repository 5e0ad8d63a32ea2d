"""The libraries that cwrap wraps: THNN for the CPU, and THCUNN with the same kernels for CUDA devices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tools.codegen.errors import InputError, Problem


@dataclass(frozen=True)
class Library:
    """The kernels that one header declares."""

    name: str
    backend: str
    """The back end in the names of dispatchers, such as CPU."""
    device: str
    """The type of the tensors' device, in C++."""
    prefix: str
    """What the types of the header start with: THC for THCTensor."""
    types: Mapping[str, str]
    """The name in C of each element type for which the kernels are expanded."""
    indices: str
    """The C type of tensors of 64-bit integers."""

    @property
    def header(self) -> str:
        """The header, in the checkout."""
        return f"aten/src/{self.name}/generic/{self.name}.h"

    @property
    def on_cpu(self) -> bool:
        """Whether the kernels run on the CPU, so that there is no current device to choose."""
        return self is THNN

    def c_types(self, element: str) -> Mapping[str, str]:
        """Return the types of the header for an element type: `THTensor*` for Float is `THFloatTensor*`."""
        return {
            "THNNState*": "void*",
            "THCState*": "void*",
            f"{self.prefix}Tensor*": f"TH{self.types[element]}Tensor*",
            f"{self.prefix}IndexTensor*": self.indices,
            f"{self.prefix}IntegerTensor*": self.indices,
            "accreal": "double",
            "scalar_t": element.lower(),
            "int64_t": "int64_t",
            "bool": "bool",
        }


THNN = Library(
    "THNN", "CPU", "at::kCPU", "TH", {"Float": "Float", "Double": "Double"}, "THLongTensor*"
)
THCUNN = Library(
    "THCUNN", "CUDA", "at::kCUDA", "THC", {"Float": "Cuda", "Double": "CudaDouble"},
    "THCudaLongTensor*",
)  # fmt: skip


def library_of(file: Path) -> Library:
    """Return the library whose header or declarations are in a file.

    Raises:
        InputError: If there is no such library.
    """
    for library in (THNN, THCUNN):
        if library.name == file.stem:
            return library
    message = "files of legacy kernels are named THNN or THCUNN"
    raise InputError([Problem(str(file), 1, 1, message)], {})
