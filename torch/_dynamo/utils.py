"""Questions of PyTorch's graph capture that libraries ask; nothing is captured or compiled here."""

from __future__ import annotations

import contextlib
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

from torch._absent import answering as _answering

counters: defaultdict[str, Counter[str]] = defaultdict(Counter)
"""PyTorch's counters of compilations; always empty in this build."""


@contextlib.contextmanager
def maybe_enable_compiled_autograd(
    should_enable: bool, fullgraph: bool = True, dynamic: bool = True
) -> Iterator[None]:
    """Run a block in which backward passes would be compiled; they run as they are.

    Args:
        should_enable: Ignored.
        fullgraph: Ignored.
        dynamic: Ignored.
    """
    yield


globals().update(
    _answering(
        __name__,
        {
            "compile_times": "",
            "detect_fake_mode": None,
            "is_compile_supported": False,
            "is_fake": False,
            "is_jit_model": False,
            "is_lazy_module": False,
            "reset_frame_count": None,
        },
        "compiler",
    )
)


_given_warnings: set[str] = set()


def warn_once(msg: str, stacklevel: int = 1) -> None:
    """Warn of something only the first time."""
    if msg not in _given_warnings:
        _given_warnings.add(msg)
        warnings.warn(msg, stacklevel=stacklevel + 1)


def istype(obj: object, allowed_types: Any) -> bool:
    """Return whether the type of an object is exactly one of some types."""
    kinds = allowed_types if isinstance(allowed_types, (tuple, list, set)) else (allowed_types,)
    return type(obj) in kinds


def same(ref: Any, res: Any, tol: float = 1e-4, equal_nan: bool = False, **options: Any) -> bool:
    """Return whether nested results agree."""
    from torch.testing import assert_close

    try:
        assert_close(res, ref, rtol=tol, atol=tol, equal_nan=equal_nan, check_dtype=False)
    except AssertionError:
        return False
    return True
