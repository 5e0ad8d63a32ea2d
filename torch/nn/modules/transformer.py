"""The transformer: stacks of encoder and decoder layers. See Vaswani et al. (2017)."""

from __future__ import annotations

import copy
import warnings
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F
from torch.nn import init
from torch.nn.modules import _nested_sequences
from torch.nn.modules._transformer_layers import (  # noqa: F401 (libraries import _get_activation_fn)
    TransformerDecoderLayer,
    TransformerEncoderLayer,
    _Activation,
    _get_activation_fn,
)
from torch.nn.modules.container import ModuleList
from torch.nn.modules.module import Module
from torch.nn.modules.normalization import LayerNorm


def _generate_square_subsequent_mask(
    sz: int, device: Any = None, dtype: torch.dtype | None = None
) -> Tensor:
    """See Transformer.generate_square_subsequent_mask."""
    return torch.triu(torch.full((sz, sz), float("-inf"), dtype=dtype, device=device), 1)


def _is_causal(mask: Tensor | None, hint: bool | None) -> bool:
    """Return the caller's hint or, without one, whether the mask is the causal mask."""
    if hint is not None or mask is None:
        return bool(hint)
    rows, columns = mask.shape[-2:]
    if rows != columns or mask.dim() != 2:
        return False
    causal = _generate_square_subsequent_mask(rows, mask.device, torch.float32)
    additive = (
        mask
        if mask.is_floating_point()
        else causal.new_zeros(rows, columns).masked_fill(mask, float("-inf"))
    )
    return bool((additive == causal).all())


def _get_clones(module: Module, N: int) -> ModuleList:
    """Return a list of independent copies of a layer."""
    return ModuleList([copy.deepcopy(module) for _ in range(N)])


class TransformerEncoder(Module):
    """A stack of encoder layers.

    Args:
        encoder_layer: Layer to copy.
        num_layers: Number of copies.
        norm: Normalization of the result, or None.
        enable_nested_tensor: Whether to drop the padding of sequences in inference, so that the result
            is 0 there. It needs `src_key_padding_mask` without `mask`, layers of this library with
            batch first and an even number of heads, and no gradients.
        mask_check: Whether to do so only if all padding follows the sequences.

    Shape:
        - Input and output: (S, N, E), (N, S, E) with batch first, or (S, E).

    Example:
        >>> layer = nn.TransformerEncoderLayer(d_model=8, nhead=2, batch_first=True)
        >>> nn.TransformerEncoder(layer, num_layers=2)(torch.randn(3, 5, 8)).shape
        torch.Size([3, 5, 8])
    """

    def __init__(
        self,
        encoder_layer: Module,
        num_layers: int,
        norm: Module | None = None,
        enable_nested_tensor: bool = True,
        mask_check: bool = True,
    ) -> None:
        super().__init__()
        self.layers = _get_clones(encoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm
        self.enable_nested_tensor = enable_nested_tensor
        obstacle = _nested_sequences.why_not_nested(encoder_layer)
        if enable_nested_tensor and obstacle:
            warnings.warn(
                "enable_nested_tensor is True, but self.use_nested_tensor is False because "
                f"{obstacle}",
                stacklevel=2,
            )
        self.use_nested_tensor = enable_nested_tensor and not obstacle
        self.mask_check = mask_check

    def forward(
        self,
        src: Tensor,
        mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool | None = None,
    ) -> Tensor:
        """Apply all layers.

        Args:
            src: Sequences.
            mask: Pairs of positions to ignore, (S, S) or (N nhead, S, S).
            src_key_padding_mask: Positions to ignore, (N, S).
            is_causal: Hint whether `mask` is the causal mask. The default is to compare them.

        Returns:
            A tensor of the shape of `src`.
        """
        src_key_padding_mask, mask = F._matching_masks(
            (src_key_padding_mask, mask), ("src_key_padding_mask", "mask"), src.dtype
        )
        causal = _is_causal(mask, is_causal)
        size, nested = (
            None,
            _nested_sequences.without_padding(self, src, mask, src_key_padding_mask),
        )
        if nested is not None:
            size, src, src_key_padding_mask = src.shape, nested, None
        for layer in self.layers:
            src = layer(
                src,
                src_mask=mask,
                is_causal=causal,
                src_key_padding_mask=src_key_padding_mask,
            )
        if nested is not None:
            src = src.to_padded_tensor(0.0, size)
        return src if self.norm is None else self.norm(src)


class TransformerDecoder(Module):
    """A stack of decoder layers.

    Args:
        decoder_layer: Layer to copy.
        num_layers: Number of copies.
        norm: Normalization of the result, or None.

    Shape:
        - Input and output: (T, N, E), (N, T, E) with batch first, or (T, E).
        - Encoder's result: the same with S positions.

    Example:
        >>> layer = nn.TransformerDecoderLayer(d_model=8, nhead=2, batch_first=True)
        >>> decoder = nn.TransformerDecoder(layer, num_layers=2)
        >>> decoder(torch.randn(3, 5, 8), torch.randn(3, 7, 8)).shape
        torch.Size([3, 5, 8])
    """

    def __init__(self, decoder_layer: Module, num_layers: int, norm: Module | None = None) -> None:
        super().__init__()
        self.layers = _get_clones(decoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """Apply all layers. See TransformerDecoderLayer.forward() for the arguments.

        Returns:
            A tensor of the shape of `tgt`.
        """
        causal = _is_causal(tgt_mask, tgt_is_causal)
        for layer in self.layers:
            tgt = layer(
                tgt,
                memory,
                tgt_mask=tgt_mask,
                memory_mask=memory_mask,
                tgt_key_padding_mask=tgt_key_padding_mask,
                memory_key_padding_mask=memory_key_padding_mask,
                tgt_is_causal=causal,
                memory_is_causal=memory_is_causal,
            )
        return tgt if self.norm is None else self.norm(tgt)


class Transformer(Module):
    """An encoder and a decoder, each a stack of layers.

    Args:
        d_model: Number of features E.
        nhead: Number of attention heads, a divisor of `d_model`.
        num_encoder_layers: Number of encoder layers.
        num_decoder_layers: Number of decoder layers.
        dim_feedforward: Size of the feed-forward networks' hidden layers.
        dropout: Probability of dropout.
        activation: Activation function: ``relu``, ``gelu`` or a function of a tensor.
        custom_encoder: Module to use as the encoder.
        custom_decoder: Module to use as the decoder.
        layer_norm_eps: Term added to the variance in the normalizations.
        batch_first: Whether the batch dimension comes first.
        norm_first: If True, normalize before each sublayer instead of after it.
        bias: If False, leave out all biases.
        device: Device of the parameters.
        dtype: Dtype of the parameters.

    Shape:
        - Source: (S, N, E), (N, S, E) with `batch_first`, or (S, E).
        - Target and output: the same with T positions.

    Example:
        >>> model = nn.Transformer(d_model=8, nhead=2, dim_feedforward=16, batch_first=True)
        >>> model(torch.randn(3, 7, 8), torch.randn(3, 5, 8)).shape
        torch.Size([3, 5, 8])
    """

    def __init__(
        self,
        d_model: int = 512,
        nhead: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: _Activation = F.relu,
        custom_encoder: Any = None,
        custom_decoder: Any = None,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        options = {"device": device, "dtype": dtype}
        layer = (
            d_model,
            nhead,
            dim_feedforward,
            dropout,
            activation,
            layer_norm_eps,
            batch_first,
            norm_first,
            bias,
        )

        def norm() -> LayerNorm:
            return LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **options)

        if custom_encoder is None:
            encoder = TransformerEncoderLayer(*layer, **options)
            self.encoder = TransformerEncoder(encoder, num_encoder_layers, norm())
        else:
            self.encoder = custom_encoder
        if custom_decoder is None:
            decoder = TransformerDecoderLayer(*layer, **options)
            self.decoder = TransformerDecoder(decoder, num_decoder_layers, norm())
        else:
            self.decoder = custom_decoder
        for parameter in self.parameters():
            if parameter.dim() > 1:
                init.xavier_uniform_(parameter)
        self.d_model = d_model
        self.nhead = nhead
        self.batch_first = batch_first

    def forward(
        self,
        src: Tensor,
        tgt: Tensor,
        src_mask: Tensor | None = None,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        src_is_causal: bool | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """Encode the source, and decode the target with the result.

        Args:
            src: Source sequences.
            tgt: Target sequences.
            src_mask: Pairs of source positions to ignore, (S, S).
            tgt_mask: Pairs of target positions to ignore, (T, T).
            memory_mask: Pairs of target and source positions to ignore, (T, S).
            src_key_padding_mask: Source positions to ignore in the encoder, (N, S).
            tgt_key_padding_mask: Target positions to ignore, (N, T).
            memory_key_padding_mask: Source positions to ignore in the decoder, (N, S).
            src_is_causal: Hint whether `src_mask` is the causal mask.
            tgt_is_causal: Hint whether `tgt_mask` is the causal mask.
            memory_is_causal: Hint that `memory_mask` is the causal mask.

        Returns:
            A tensor of the shape of `tgt`.

        Raises:
            RuntimeError: If batches differ, or the last dimensions do not have `d_model` features.
        """
        batch = 0 if self.batch_first else 1
        if src.dim() == 3 and src.size(batch) != tgt.size(batch):
            raise RuntimeError("the batch number of src and tgt must be equal")
        if src.size(-1) != self.d_model or tgt.size(-1) != self.d_model:
            raise RuntimeError("the feature number of src and tgt must be equal to d_model")
        memory = self.encoder(src, src_mask, src_key_padding_mask, src_is_causal)
        return self.decoder(
            tgt,
            memory,
            tgt_mask,
            memory_mask,
            tgt_key_padding_mask,
            memory_key_padding_mask,
            tgt_is_causal,
            memory_is_causal,
        )

    @staticmethod
    def generate_square_subsequent_mask(
        sz: int, device: Any = None, dtype: torch.dtype | None = None
    ) -> Tensor:
        """Return the causal mask: -inf above the diagonal, 0 elsewhere.

        Args:
            sz: Number of rows and columns.
            device: Device of the mask.
            dtype: Dtype of the mask.

        Returns:
            A tensor of shape (sz, sz).

        Example:
            >>> nn.Transformer.generate_square_subsequent_mask(3)
            tensor([[0., -inf, -inf],
                    [0., 0., -inf],
                    [0., 0., 0.]])
        """
        return _generate_square_subsequent_mask(sz, device, dtype)
