"""torch.nn.attention: choosing an implementation, masks by blocks, attention with functions of positions."""

from __future__ import annotations

import math
from typing import Any

import pytest

import torch
from torch import nn
from torch.nn import functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.attention.bias import causal_lower_right, causal_upper_left
from torch.nn.attention.flex_attention import (
    AuxRequest,
    BlockMask,
    and_masks,
    create_block_mask,
    flex_attention,
    noop_mask,
    or_masks,
)
from torch.nn.attention.varlen import varlen_attn


def causal(b: torch.Tensor, h: torch.Tensor, q: torch.Tensor, kv: torch.Tensor) -> torch.Tensor:
    return q >= kv


def test_sdpa_kernel_restores_what_was_allowed() -> None:
    before = torch.backends.cuda.flash_sdp_enabled()
    with sdpa_kernel([SDPBackend.MATH, SDPBackend.EFFICIENT_ATTENTION]):
        assert not torch.backends.cuda.flash_sdp_enabled()
        assert torch.backends.cuda.math_sdp_enabled()
    assert torch.backends.cuda.flash_sdp_enabled() == before
    with (
        pytest.raises(AssertionError, match="must be an instance of SDPBackend"),
        sdpa_kernel("math"),
    ):
        pass


def test_block_masks_list_partial_and_full_blocks() -> None:
    mask = create_block_mask(causal, None, None, 300, 300)
    assert mask.shape == (1, 1, 300, 300)
    assert mask.kv_num_blocks.tolist() == [[[1, 1, 3]]]  # PyTorch's numbers, as all in this test
    assert mask.kv_indices.tolist() == [[[[0, 1, 2], [1, 0, 2], [0, 1, 2]]]]
    assert mask.full_kv_num_blocks.tolist() == [[[0, 1, 0]]]
    assert mask.q_indices.tolist() == [[[[0, 2, 1], [1, 2, 0], [2, 0, 1]]]]
    assert mask.sparsity() == pytest.approx(-9.226667)
    assert mask.to_dense().tolist() == [[[[1, 0, 0], [1, 1, 0], [1, 1, 1]]]]
    assert "██████" in str(mask)
    again = BlockMask.from_kv_blocks(*mask.as_tuple()[2:6], seq_lengths=(300, 300))
    assert torch.equal(again.to_dense(), mask.to_dense())
    assert mask[:, :, :1].shape[-2] == 128


@pytest.mark.parametrize("need_weights", [True, False])
def test_projections_to_other_widths(need_weights: bool) -> None:
    x = torch.rand(3, 1, 4)
    eye = torch.eye(4)
    project = torch.rand(6, 4)

    def attend(out: torch.Tensor) -> torch.Tensor:
        result, _ = torch.nn.functional.multi_head_attention_forward(
            x, x, x, 4, 2, None, torch.zeros(12), None, None, False, 0.0, out, None,
            need_weights=need_weights, use_separate_proj_weight=True,
            q_proj_weight=eye, k_proj_weight=eye, v_proj_weight=eye,
        )  # fmt: skip
        return result

    torch.testing.assert_close(attend(project), attend(eye) @ project.t())


def test_flex_attention_agrees_with_masked_attention() -> None:
    torch.manual_seed(0)
    q, k, v = (torch.randn(2, 4, 6, 8, dtype=torch.float64, requires_grad=True) for _ in range(3))
    mask = create_block_mask(causal, None, None, 6, 6)
    ours = flex_attention(q, k, v, block_mask=mask)
    theirs = F.scaled_dot_product_attention(q, k, v, is_causal=True)
    torch.testing.assert_close(ours, theirs)
    for a, b in zip(
        *(torch.autograd.grad(x.sum(), (q, k, v)) for x in (ours, theirs)), strict=True
    ):
        torch.testing.assert_close(a, b)
    slopes = torch.arange(4.0)
    bias = slopes.view(1, 4, 1, 1) * (torch.arange(6) - torch.arange(6).view(6, 1))
    ours = flex_attention(q, k, v, lambda s, b, h, i, j: s + slopes[h] * (j - i))
    torch.testing.assert_close(ours, F.scaled_dot_product_attention(q, k, v, bias.double()))
    grouped = flex_attention(q, k[:, :2], v[:, :2], enable_gqa=True)
    torch.testing.assert_close(
        grouped, F.scaled_dot_product_attention(q, k[:, :2], v[:, :2], enable_gqa=True)
    )


def test_rows_without_an_allowed_position_are_zero() -> None:
    q = torch.randn(1, 1, 3, 2)
    nothing = create_block_mask(lambda b, h, i, j: (i > 0) & (j < 0), None, None, 3, 3)
    output, aux = flex_attention(q, q, q, block_mask=nothing, return_aux=AuxRequest(lse=True))
    assert output.tolist() == torch.zeros(1, 1, 3, 2).tolist()
    assert aux.lse.tolist() == [[[-math.inf] * 3]]
    with pytest.raises(ValueError, match="same number of heads"):
        flex_attention(q.expand(1, 2, 3, 2), q, q)


def test_mask_functions_combine() -> None:
    near = and_masks(causal, lambda b, h, i, j: i - j < 2)
    mask = create_block_mask(near, None, None, 4, 4, BLOCK_SIZE=2)
    assert mask.to_dense().tolist() == [[[[1, 0], [1, 1]]]]
    either = create_block_mask(or_masks(near, noop_mask), None, None, 4, 4, BLOCK_SIZE=2)
    assert either.full_kv_num_blocks.tolist() == [[[2, 2]]]


def test_causal_biases_are_recognised() -> None:
    torch.manual_seed(0)
    q, kv = torch.randn(1, 2, 3, 4), torch.randn(1, 2, 5, 4)
    lower = torch.ones(3, 5, dtype=torch.bool).tril(2)
    ours = F.scaled_dot_product_attention(q, kv, kv, causal_lower_right(3, 5))
    torch.testing.assert_close(ours, F.scaled_dot_product_attention(q, kv, kv, lower))
    ours = F.scaled_dot_product_attention(q, kv, kv, causal_upper_left(3, 5))
    torch.testing.assert_close(ours, F.scaled_dot_product_attention(q, kv, kv, is_causal=True))


def test_varlen_attention_stays_within_each_sequence() -> None:
    torch.manual_seed(0)
    x = torch.randn(5, 2, 4)
    starts = torch.tensor([0, 2, 5])
    output = varlen_attn(x, x, x, starts, starts, 3, 3)
    for begin, end in ((0, 2), (2, 5)):
        part = x[begin:end].transpose(0, 1)[None]
        alone = F.scaled_dot_product_attention(part, part, part)[0].transpose(0, 1)
        torch.testing.assert_close(output[begin:end], alone)


def test_backends_print_their_names() -> None:
    assert str(SDPBackend.MATH) == f"{SDPBackend.MATH}" == "SDPBackend.MATH"


@pytest.mark.parametrize("backend", [SDPBackend.EFFICIENT_ATTENTION, SDPBackend.CUDNN_ATTENTION])
def test_a_backend_that_the_device_lacks_is_refused(backend: SDPBackend) -> None:
    q = torch.rand(1, 2, 3, 4)
    with sdpa_kernel(backend), pytest.raises(RuntimeError, match="No viable backend"):
        F.scaled_dot_product_attention(q, q, q)


def test_flash_attention_alone_refuses_what_it_does_not_support() -> None:
    q = torch.rand(2, 3, 4)
    with (
        sdpa_kernel(SDPBackend.FLASH_ATTENTION),
        pytest.raises(RuntimeError, match="No available kernel"),
    ):
        F.scaled_dot_product_attention(q, q, q)


def test_a_mask_of_another_shape_is_refused() -> None:
    q = torch.rand(2, 4, 6, 8)
    message = r"size of tensor a \(6\) must match the size of tensor b \(5\)"
    with pytest.raises(RuntimeError, match=message):
        F.scaled_dot_product_attention(q, q, q, torch.ones(5, 5))


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({}, r"self_attn.batch_first was not True\(use batch_first"),
        ({"batch_first": True, "norm_first": True}, "norm_first was True"),
        ({"batch_first": True, "bias": False}, "self_attn was passed bias=False"),
        ({"batch_first": True, "nhead": 1}, "self_attn.num_heads is odd"),
    ],
)
def test_an_encoder_says_why_it_keeps_padding(settings: dict[str, bool], reason: str) -> None:
    layer = nn.TransformerEncoderLayer(4, **{"nhead": 2, **settings})
    with pytest.warns(UserWarning, match=f"use_nested_tensor is False because .*{reason}"):
        nn.TransformerEncoder(layer, 1)
    nn.TransformerEncoder(layer, 1, enable_nested_tensor=False)


def test_masks_of_different_kinds_give_a_warning() -> None:
    layer = nn.TransformerEncoderLayer(4, 2, dropout=0.0, batch_first=True)
    x, padding = torch.rand(2, 3, 4), torch.tensor([[False, False, True]] * 2)
    causal = nn.Transformer.generate_square_subsequent_mask(3)
    with pytest.warns(UserWarning, match="mismatched src_key_padding_mask and src_mask"):
        mixed = layer(x, causal, padding)
    torch.testing.assert_close(mixed, layer(x, causal.isinf(), padding))
    with pytest.warns(UserWarning, match="mismatched key_padding_mask and attn_mask"):
        layer.self_attn(x, x, x, padding, attn_mask=causal)


def test_transformer_refuses_batches_of_different_sizes() -> None:
    model = nn.Transformer(4, 2, 1, 1, 8, batch_first=True)
    with pytest.raises(RuntimeError, match="the batch number of src and tgt must be equal"):
        model(torch.rand(2, 3, 4), torch.rand(3, 3, 4))


def _settings_of(layer: nn.MultiheadAttention) -> tuple[Any, ...]:
    output = layer.out_proj
    return (layer.embed_dim, layer.num_heads, layer.in_proj_weight, layer.in_proj_bias,
            output.weight, output.bias)  # fmt: skip


@pytest.mark.parametrize("averaged", [False, True])
@torch.no_grad()
def test_the_fused_attention_computes_what_the_layer_does(averaged: bool) -> None:
    torch.manual_seed(0)
    layer = nn.MultiheadAttention(8, 2, batch_first=True)
    x, padding = torch.rand(3, 5, 8), torch.zeros(3, 5, dtype=torch.bool)
    padding[0, 3:] = True
    expected = layer(x, x, x, key_padding_mask=padding, average_attn_weights=averaged)
    found = torch._native_multi_head_attention(
        x, x, x, *_settings_of(layer), padding, average_attn_weights=averaged, mask_type=1
    )
    torch.testing.assert_close(found, expected)
    nested = torch.nested.nested_tensor([x[0, :3], x[1], x[2]])
    result, weights = torch._native_multi_head_attention(
        nested, nested, nested, *_settings_of(layer), need_weights=False
    )
    assert weights is None
    shown = ~padding[..., None]
    torch.testing.assert_close(result.to_padded_tensor(0), expected[0] * shown)


@torch.no_grad()
def test_projections_are_split_into_heads() -> None:
    projected, bias = torch.rand(3, 5, 24), torch.rand(24)
    queries, keys, values = torch._transform_bias_rescale_qkv(projected, bias, num_heads=2)
    assert queries.shape == (3, 2, 5, 4)
    assert all(part.is_contiguous() for part in (queries, keys, values))
    torch.testing.assert_close(queries[1, 1, 2] * 2, (projected + bias)[1, 2, 4:8])
    torch.testing.assert_close(values[1, 1, 2], (projected + bias)[1, 2, 20:])


def test_padding_becomes_a_nested_tensor() -> None:
    sequences = torch.arange(24.0).view(2, 4, 3)
    mask = torch.tensor([[True, True, False, False], [True, True, True, True]])
    nested = torch._nested_tensor_from_mask(sequences, mask)
    assert [row.tolist() for row in nested.unbind()] == [
        sequences[0, :2].tolist(),
        sequences[1].tolist(),
    ]
    assert torch._nested_tensor_from_mask_left_aligned(sequences, mask)
    with pytest.raises(RuntimeError, match="left-aligned without gaps"):
        torch._nested_tensor_from_mask(sequences, mask.flip(1))
    for wrong in (mask.int(), mask[0], mask[:, :3]):
        with pytest.raises(RuntimeError, match=r"(?i)mask"):
            torch._nested_tensor_from_mask(sequences, wrong)
