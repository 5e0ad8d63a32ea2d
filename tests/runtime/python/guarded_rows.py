"""Rows at the end of readable memory, and NaN around them, do not change results; prints what does.

Run with ATEN_CPU_CAPABILITY to test the kernels of one capability. A kernel that reads or writes
beyond its memory ends the program with a signal.
"""

from __future__ import annotations

import ctypes
import mmap
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F

PAGE = mmap.PAGESIZE
LENGTHS = [*range(1, 20), 27, 31, 33, 63, 65]
DTYPES = [torch.float16, torch.bfloat16, torch.float32, torch.float64]
LIBC = ctypes.CDLL(None, use_errno=True)


def embedding_bag(x: Any, w: Any) -> Any:
    return F.embedding_bag(torch.tensor([[2, 0], [1, 1]]), x)


def gradient(call: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def run(x: Any, w: Any) -> Any:
        leaf = x.detach().requires_grad_()
        result = call(leaf, w)
        return torch.autograd.grad(result, leaf, w.detach().expand_as(result))[0]

    return run


def in_place(x: Any, w: Any) -> Any:
    torch._fused_sgd_(
        [x], [x.clone()], [], weight_decay=0.5, momentum=0.0, lr=0.25, dampening=0.0,
        nesterov=False, maximize=False, is_first_step=True,
    )  # fmt: skip
    return x


CALLS: dict[str, Callable[[Any, Any], Any]] = {
    "softmax": lambda x, w: torch.softmax(x, 1),
    "log_softmax": lambda x, w: torch.log_softmax(x, 1),
    "softmax of columns": lambda x, w: torch.softmax(x, 0),
    "gradient of softmax": gradient(lambda x, w: torch.softmax(x, 1)),
    "gradient of log_softmax": gradient(lambda x, w: torch.log_softmax(x, 1)),
    "layer_norm": lambda x, w: F.layer_norm(x, w.shape, w, w),
    "gradient of layer_norm": gradient(lambda x, w: F.layer_norm(x, w.shape, w, w)),
    "rms_norm": lambda x, w: F.rms_norm(x, w.shape, w),
    "logsigmoid": lambda x, w: F.logsigmoid(x),
    "exp": lambda x, w: torch.exp(x),
    "sum": lambda x, w: x.sum(1),
    "matrix product": lambda x, w: x @ x.t(),
    "embedding_bag": embedding_bag,
    "fused SGD": in_place,
}


def guarded(values: Any) -> Any:
    """Return a copy of a tensor that ends where readable memory does, and begins after NaN."""
    size = values.numel() * values.element_size()
    pages = -(-size // PAGE) + 1
    memory = mmap.mmap(-1, (pages + 1) * PAGE)
    start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    end = start + pages * PAGE
    assert LIBC.mprotect(ctypes.c_void_p(end), PAGE, 0) == 0  # PROT_NONE
    whole = torch.frombuffer(
        memory, dtype=values.dtype, count=pages * PAGE // values.element_size()
    )
    whole.fill_(torch.nan)
    KEPT.append(memory)
    return whole[-values.numel() :].view_as(values).copy_(values)


KEPT: list[Any] = []  # mappings, which tensors point into


def main() -> None:
    torch.manual_seed(0)
    for n in LENGTHS:
        for dtype in DTYPES:
            x, w = torch.randn(3, n).to(dtype), torch.randn(n).to(dtype)
            for name, call in CALLS.items():
                expected = call(x.clone(), w)
                found = call(guarded(x), guarded(w))
                if not torch.equal(found, expected) or expected.isnan().any():
                    print(name, n, dtype, found, expected)


if __name__ == "__main__":
    main()
