"""The legacy kernels by the type of their tensors: `type2backend["torch.FloatTensor"].Abs_updateOutput`.

They exist in a build with BUILD_LEGACY_NN=ON, and for tensors on CUDA devices if that build has CUDA. Every kernel takes
the backend's `library_state` first, and writes its results into tensors that it resizes.
"""

import torch

__all__ = ["Backend", "type2backend"]


class Backend:
    """The kernels for one type of tensor, as attributes.

    Args:
        library: The name of the module in torch._C that has them, such as `_THNN`.
        prefix: What the names of its functions begin with for the element type, such as `Float`.
    """

    library_state = 0

    def __init__(self, library, prefix):
        self.library = library
        self.prefix = prefix

    def __getattr__(self, name):
        """Return a kernel.

        Raises:
            RuntimeError: If this build has no such library.
            AttributeError: If there is no kernel of this name.
        """
        kernels = getattr(torch._C, self.library, None)
        if kernels is None:
            options = "BUILD_LEGACY_NN=ON"
            if self.library == "_THCUNN":
                options += " and CUDA"
            raise RuntimeError(f"this build has no legacy kernels; build with {options}")
        return getattr(kernels, self.prefix + name)


type2backend = {
    "torch.FloatTensor": Backend("_THNN", "Float"),
    "torch.DoubleTensor": Backend("_THNN", "Double"),
    "torch.cuda.FloatTensor": Backend("_THCUNN", "Cuda"),
    "torch.cuda.DoubleTensor": Backend("_THCUNN", "CudaDouble"),
}
