"""The legacy kernels by the type of their tensors: `type2backend["torch.FloatTensor"].Abs_updateOutput`.

They exist in a build with BUILD_LEGACY_NN=ON. Every kernel takes the backend's `library_state` first, and writes its
results into tensors that it resizes.
"""

import torch

__all__ = ["Backend", "type2backend"]


class Backend:
    """The kernels for one type of tensor, as attributes.

    Args:
        element: The name of the element type, such as `Float`.
    """

    library_state = 0

    def __init__(self, element):
        self.element = element

    def __getattr__(self, name):
        """Return a kernel.

        Raises:
            RuntimeError: If this build has no legacy kernels.
            AttributeError: If there is no kernel of this name.
        """
        kernels = getattr(torch._C, "_THNN", None)
        if kernels is None:
            raise RuntimeError("this build has no legacy kernels; build with BUILD_LEGACY_NN=ON")
        return getattr(kernels, self.element + name)


type2backend = {f"torch.{element}Tensor": Backend(element) for element in ("Float", "Double")}
