"""The dispatch keys that operator files may name, and their properties.

The lists are those of c10/core/DispatchKey.h; tests/codegen/test_keys.py compares them.
"""

from __future__ import annotations

_BACKENDS = [
    "CPU",
    "CUDA",
    "HIP",
    "XLA",
    "MPS",
    "IPU",
    "XPU",
    "HPU",
    "VE",
    "Lazy",
    "MTIA",
    "MAIA",
    "PrivateUse1",
    "PrivateUse2",
    "PrivateUse3",
    "Meta",
]
_FUNCTIONALITIES = ("", "Quantized", "Sparse", "SparseCsr", "NestedTensor", "Autograd")
"""What every back end has its own of, as the prefix of its keys."""

_AUTOCAST_BACKENDS = [
    "CPU",
    "MTIA",
    "MAIA",
    "XPU",
    "IPU",
    "HPU",
    "XLA",
    "MPS",
    "CUDA",
    "PrivateUse1",
]

COMPOSITE_IMPLICIT = "CompositeImplicitAutograd"
COMPOSITE_IMPLICIT_NESTED = "CompositeImplicitAutogradNestedTensor"
COMPOSITE_EXPLICIT = "CompositeExplicitAutograd"
COMPOSITE_NON_FUNCTIONAL = "CompositeExplicitAutogradNonFunctional"

ALIAS_KEYS = (
    COMPOSITE_IMPLICIT,
    COMPOSITE_IMPLICIT_NESTED,
    COMPOSITE_EXPLICIT,
    COMPOSITE_NON_FUNCTIONAL,
    "Autograd",
    "FuncTorchBatchedDecomposition",
)

DISPATCH_KEYS = frozenset(
    [prefix + backend for prefix in _FUNCTIONALITIES for backend in _BACKENDS]
    + [f"Autocast{backend}" for backend in _AUTOCAST_BACKENDS]
    + [*ALIAS_KEYS, "AutogradOther", "AutogradNestedTensor", "MkldnnCPU", "ZeroTensor"]
    + ["FPGA", "Vulkan", "Metal", "CustomRNGKeyId", "BackendSelect", "Python", "Named", "Conjugate"]
    + ["Negative", "ADInplaceOrView", "Tracer", "Functionalize", "Undefined", "Fake"]
    + ["FuncTorchBatched", "BatchedNestedTensor", "FuncTorchVmapMode", "Batched", "VmapMode"]
    + ["FuncTorchGradWrapper", "FuncTorchDynamicLayerBackMode", "FuncTorchDynamicLayerFrontMode"]
    + ["DeferredInit", "PythonTLSSnapshot", "PythonDispatcher", "PreDispatch"]
    + ["TESTING_ONLY_GenericWrapper", "TESTING_ONLY_GenericMode"]
)

AUTOGRAD_KEYS = frozenset(
    [f"Autograd{backend}" for backend in _BACKENDS] + ["AutogradNestedTensor"]
)
"""Keys that may have their own derivatives."""

STRUCTURED_KEYS = frozenset(["CPU", "CUDA", "MPS", "XPU", "MTIA"])
"""Backends whose kernel of a structured operator is an `impl` that writes a given output."""

DIRECT_KEYS = frozenset(
    [
        "CPU",
        "CUDA",
        "Meta",
        COMPOSITE_IMPLICIT,
        COMPOSITE_IMPLICIT_NESTED,
        COMPOSITE_EXPLICIT,
        COMPOSITE_NON_FUNCTIONAL,
    ]
)
"""Keys whose kernels C++ calls by name, without the dispatcher: at::cpu::add."""

UFUNC_KEYS = ("CPU", "CUDA")

GUARDED_KEYS = frozenset(
    ["CUDA", "HIP", "XPU", "MPS", "PrivateUse1", "SparseCUDA", "SparseCsrCUDA", "QuantizedCUDA"]
)
"""Backends with a current device, which wrappers must set; other backends need no guard."""
