"""Functions that create masked tensors."""

from __future__ import annotations

from torch import Tensor
from torch.masked.maskedtensor.core import MaskedTensor, make_tracked, warn_of_creation

__all__ = ["as_masked_tensor", "masked_tensor"]


def masked_tensor(data: Tensor, mask: Tensor, requires_grad: bool = False) -> MaskedTensor:
    """Create a masked tensor without history.

    Args:
        data: The elements: strided, or in coordinate or compressed row format.
        mask: True for elements that are given; a boolean tensor of the same size and layout.
        requires_grad: Whether to record operations for gradients.

    Raises:
        TypeError: If one of them is no tensor or a MaskedTensor, or has an unsupported dtype or layout.
        ValueError: If their sizes or indices differ.

    Example:
        >>> import torch.masked, warnings
        >>> warnings.simplefilter("ignore", UserWarning)
        >>> torch.masked.masked_tensor(torch.tensor([1.0, 2.0]), torch.tensor([True, False]))
        MaskedTensor(
          [  1.0000,       --]
        )
    """
    return MaskedTensor(data, mask, requires_grad)


def as_masked_tensor(data: Tensor, mask: Tensor) -> MaskedTensor:
    """Create a masked tensor; gradients flow to the data.

    Args:
        data: The elements: strided, or in coordinate or compressed row format.
        mask: True for elements that are given; a boolean tensor of the same size and layout.

    Raises:
        TypeError: If one of them is no tensor or a MaskedTensor, or has an unsupported dtype or layout.
        ValueError: If their sizes or indices differ.

    Example:
        >>> import torch.masked, warnings
        >>> warnings.simplefilter("ignore", UserWarning)
        >>> data = torch.ones(2, requires_grad=True)
        >>> torch.masked.as_masked_tensor(data, torch.tensor([True, False])).sum().get_data().backward()
        >>> data.grad
        MaskedTensor(
          [  1.0000,       --]
        )
    """
    warn_of_creation(data, stacklevel=2)
    return make_tracked(data, mask)
