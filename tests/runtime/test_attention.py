"""Fused attention never holds a whole matrix of scores in memory."""

from __future__ import annotations

import subprocess
import sys

import pytest

import torch

PROGRAM = """
import resource
import torch

length = {length}
q, k, v = (torch.randn(1, 1, length, 16, requires_grad=True) for _ in range(3))
torch.nn.functional.scaled_dot_product_attention(q[:, :, :64], k[:, :, :64], v[:, :, :64]).sum()
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
output = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal={causal})
output.sum().backward()
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


def growth_in_mib(length: int, causal: bool) -> float:
    """Return the growth of the peak resident size, measured in a separate process."""
    program = PROGRAM.format(length=length, causal=causal)
    done = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    )
    return int(done.stdout) / 1024


def test_memory_does_not_grow_with_the_square_of_the_length() -> None:
    """A single matrix of 4096 x 4096 scores would take 64 MiB."""
    assert growth_in_mib(4096, causal=False) < 24
    assert growth_in_mib(4096, causal=True) < 24


def test_causal_attention_takes_a_mask_only_where_it_is_fused() -> None:
    """PyTorch refuses both together in its composite kernel and accepts them in the fused one."""
    attend = torch.nn.functional.scaled_dot_product_attention
    x, mask = torch.eye(2), torch.zeros(2, 2)
    with pytest.raises(RuntimeError, match="attn_mask should not be set when is_causal=True"):
        attend(x, x, x, mask, is_causal=True)
    batch = x[None, None]
    torch.testing.assert_close(
        attend(batch, batch, batch, mask, is_causal=True),
        attend(batch, batch, batch, is_causal=True),
    )


def test_attention_in_16_bits_is_rounded_once() -> None:
    torch.manual_seed(0)
    q, k, v = (torch.randn(4, 5, 8).mul(3).bfloat16() for _ in range(3))
    attend = torch.nn.functional.scaled_dot_product_attention
    found = attend(q, k, v, is_causal=True)
    expected = attend(q.float(), k.float(), v.float(), is_causal=True)
    assert found.dtype == torch.bfloat16
    assert torch.equal(found, expected.bfloat16())


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_many_blocks_of_queries_agree_with_whole_matrices(dtype: torch.dtype, causal: bool) -> None:
    """Lengths and widths are no multiples of tiles, and heads lie between positions."""
    torch.manual_seed(0)
    q, k, v = (
        torch.randn(2, length, 3, 24, dtype=dtype).transpose(1, 2) for length in (323, 531, 531)
    )
    found = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal)
    scores = q.double() @ k.double().transpose(2, 3) / 24**0.5
    if causal:
        scores.masked_fill_(torch.ones(323, 531, dtype=torch.bool).triu(1), -torch.inf)
    torch.testing.assert_close(found, (scores.softmax(3) @ v.double()).to(dtype))


def exact_attention(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: torch.Tensor
) -> torch.Tensor:
    """Compute attention with whole matrices of doubles."""
    scores = q.double() @ k.double().transpose(2, 3) / q.shape[3] ** 0.5
    return (scores + mask.double()).softmax(3).nan_to_num(0) @ v.double()


MASKS = {
    "matrix": lambda m: m,
    "columns": lambda m: m[:1],
    "rows": lambda m: m[:, :1],
    "sliced": lambda m: torch.stack((m, m), -1)[..., 1],
    "heads": lambda m: torch.stack((m, m * 2, m - 1))[None],
    "hidden": lambda m: m.masked_fill(m > 0.5, -torch.inf),
    "hidden rows": lambda m: m.masked_fill((m[:, :1] > 0), -torch.inf),
}


@pytest.mark.parametrize("name", MASKS)
@pytest.mark.parametrize(("queries", "keys"), [(7, 21), (64, 256), (323, 531)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_masks_and_gradients_agree_with_whole_matrices(
    dtype: torch.dtype, queries: int, keys: int, name: str
) -> None:
    torch.manual_seed(0)
    mask = MASKS[name](torch.randn(queries, keys, dtype=dtype))
    given = [
        torch.randn(2, 3, length, 24, dtype=dtype, requires_grad=True)
        for length in (queries, keys, keys)
    ]
    found = torch.nn.functional.scaled_dot_product_attention(*given, mask)
    expected = exact_attention(*given, mask)
    torch.testing.assert_close(found, expected.to(dtype))
    if name != "hidden rows":  # whole matrices give NaN
        grad = torch.randn_like(found)
        for ours, theirs in zip(
            torch.autograd.grad(found, given, grad),
            torch.autograd.grad(expected, given, grad.double()),
            strict=True,
        ):
            torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-5)


def test_masks_are_not_read_beyond_their_ends() -> None:
    """NaNs surround the mask, and numbers that a causal row may not meet are NaN."""
    torch.manual_seed(0)
    q, k, v = (torch.randn(1, 1, 300, 32, requires_grad=True) for _ in range(3))
    around = torch.full((302, 302), torch.nan)
    mask = around[1:-1, 1:-1]
    mask.copy_(torch.randn(300, 300))
    attend = torch.nn.functional.scaled_dot_product_attention
    torch.testing.assert_close(attend(q, k, v, mask), attend(q, k, v, mask.clone()))
    mask[torch.ones(300, 300, dtype=torch.bool).triu(1)] = torch.nan
    found = attend(q, k, v, mask, is_causal=True)
    found.sum().backward()
    for tensor in (found, q.grad, k.grad, v.grad):
        assert tensor is not None
        assert tensor.isfinite().all()


@pytest.mark.parametrize("keys", [5, 64, 300])
def test_a_nan_in_a_key_spreads_to_the_rows_that_meet_it(keys: int) -> None:
    q, k, v = torch.randn(1, 1, 300, 8), torch.randn(1, 1, keys, 8), torch.ones(1, 1, keys, 8)
    k[0, 0, keys // 2, 0] = torch.nan
    attend = torch.nn.functional.scaled_dot_product_attention
    assert attend(q, k, v).isnan().all()
    rows = attend(q, k, v, is_causal=True)[0, 0]
    assert not rows[: keys // 2].isnan().any()
    assert rows[keys // 2 :].isnan().all()


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("width", [1, 24, 33, 64, 136])
def test_few_queries_of_half_types_read_keys_where_they_lie(dtype: torch.dtype, width: int) -> None:
    """NaNs surround keys and values, of which every length ends within a register."""
    torch.manual_seed(0)
    for queries, keys in ((1, 1), (1, 300), (2, 17), (4, 259), (5, 31)):
        q = torch.randn(2, 3, queries, width).to(dtype)
        k, v = (torch.full((2, 3, keys + 2, width + 3), torch.nan).to(dtype) for _ in range(2))
        k, v = k[:, :, 1:-1, 1:-2], v[:, :, 1:-1, 1:-2]
        k.copy_(torch.randn(k.shape))
        v.copy_(torch.randn(v.shape))
        mask = torch.randn(queries, keys).to(dtype)
        found = torch.nn.functional.scaled_dot_product_attention(q, k, v, mask)
        expected = exact_attention(q, k, v, mask)
        torch.testing.assert_close(found.double(), expected, rtol=1e-2, atol=1e-2)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32])
def test_one_query_of_heads_that_share_keys(dtype: torch.dtype) -> None:
    torch.manual_seed(0)
    q = torch.randn(2, 6, 1, 40).to(dtype).requires_grad_()
    k, v = (torch.randn(2, 2, 70, 40).to(dtype).requires_grad_() for _ in range(2))
    for shape in ((1, 70), (1, 1, 1, 70), (2, 1, 1, 70), (2, 6, 1, 70)):
        mask = torch.randn(shape).to(dtype)
        found = torch.nn.functional.scaled_dot_product_attention(q, k, v, mask, enable_gqa=True)
        repeated = [x.repeat_interleave(3, 1) for x in (k, v)]
        expected = exact_attention(q, *repeated, mask)
        bound = 1e-5 if dtype == torch.float32 else 3e-2
        torch.testing.assert_close(found.double(), expected, rtol=bound, atol=bound)
        for ours, theirs in zip(
            torch.autograd.grad(found.sum(), (q, k, v)),
            torch.autograd.grad(expected.sum(), (q, k, v)),
            strict=True,
        ):
            torch.testing.assert_close(ours, theirs, rtol=10 * bound, atol=bound)
