"""Which kernels scaled_dot_product_attention can use on CUDA devices for given tensors."""

from __future__ import annotations

import logging
from dataclasses import dataclass

import torch

_EFFICIENT = 2  # of _fused_sdp_choice


@dataclass
class SDPAParams:
    """The arguments of `scaled_dot_product_attention` that its choice of a kernel looks at.

    Example:
        >>> q = torch.ones(1, 2, 3, 4)
        >>> torch.backends.cuda.SDPAParams(q, q, q, None, 0.0, True, False).is_causal
        True
    """

    query: torch.Tensor
    key: torch.Tensor
    value: torch.Tensor
    attn_mask: torch.Tensor | None
    dropout: float
    is_causal: bool
    enable_gqa: bool


def can_use_efficient_attention(params: SDPAParams, debug: bool = False) -> bool:
    """Return whether the fused kernel can be used, and is not turned off.

    Args:
        params: The tensors and the other arguments.
        debug: Whether to log a warning if it cannot be used.

    Example:
        >>> q = torch.ones(1, 2, 3, 4)
        >>> params = torch.backends.cuda.SDPAParams(q, q, q, None, 0.0, False, False)
        >>> torch.backends.cuda.can_use_efficient_attention(params)
        False
    """
    usable = (
        params.query.is_cuda
        and torch._fused_sdp_choice(
            params.query,
            params.key,
            params.value,
            params.attn_mask,
            params.dropout,
            params.is_causal,
            enable_gqa=params.enable_gqa,
        )
        == _EFFICIENT
    )
    if debug and not usable:
        logging.getLogger(__name__).warning(
            "the fused attention kernel cannot be used: it takes CUDA tensors of four dimensions "
            "and one floating-point dtype, without dropout, while "
            "torch.backends.cuda.enable_mem_efficient_sdp is on"
        )
    return usable


def _absent(name: str, debug: bool) -> bool:
    if debug:
        logging.getLogger(__name__).warning("no build has the %s kernel of attention", name)
    return False


def can_use_flash_attention(params: SDPAParams, debug: bool = False) -> bool:
    """Return False: no build has PyTorch's flash attention kernel.

    Args:
        params: The tensors and the other arguments.
        debug: Whether to log a warning.

    Example:
        >>> q = torch.ones(1, 2, 3, 4)
        >>> params = torch.backends.cuda.SDPAParams(q, q, q, None, 0.0, False, False)
        >>> torch.backends.cuda.can_use_flash_attention(params)
        False
    """
    return _absent("flash", debug)


def can_use_cudnn_attention(params: SDPAParams, debug: bool = False) -> bool:
    """Return False: no build has cuDNN's attention kernel.

    Args:
        params: The tensors and the other arguments.
        debug: Whether to log a warning.

    Example:
        >>> q = torch.ones(1, 2, 3, 4)
        >>> params = torch.backends.cuda.SDPAParams(q, q, q, None, 0.0, False, False)
        >>> torch.backends.cuda.can_use_cudnn_attention(params)
        False
    """
    return _absent("cuDNN", debug)


def is_ck_sdpa_available() -> bool:
    """Return False: no build has AMD's composable kernels.

    Example:
        >>> torch.backends.cuda.is_ck_sdpa_available()
        False
    """
    return False
