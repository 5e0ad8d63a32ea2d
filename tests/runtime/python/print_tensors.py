"""Print random tensors in this interpreter: `python print_tensors.py SEED COUNT FILE`.

Writes a JSON list of texts: repr() of tensors of all dtypes, of few and of many elements, with
values that need exponents, NaN and infinities, under the options of torch.set_printoptions.
"""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path
from typing import Any

import numpy as np

import torch

SHAPES = ((), (0,), (1,), (5,), (2, 0, 3), (2, 3), (3, 1, 4), (40,), (4, 30), (1200,), (3, 500))
DTYPES = ("float32", "float64", "float16", "bfloat16", "complex64", "complex128")
DTYPES += ("int64", "int32", "int16", "int8", "uint8", "bool")
SCALES = (1.0, 1.0, 10.0, 1e3, 1e-3, 1e6, 1e-6, 1e12)


def options(source: random.Random) -> dict[str, Any]:
    """Return arguments of set_printoptions."""
    choices: dict[str, tuple[Any, ...]] = {
        "precision": (0, 1, 2, 6, 8),
        "threshold": (0, 10, 5000),
        "edgeitems": (1, 2, 5),
        "linewidth": (20, 40, 120),
        "sci_mode": (True, False),
    }
    found = {key: source.choice(values) for key, values in choices.items() if source.random() < 0.3}
    if source.random() < 0.2:
        found["profile"] = source.choice(("default", "short", "full"))
    return found


def values(source: random.Random, shape: tuple[int, ...]) -> np.ndarray:
    """Return values of one scale, whole or not, some of them special."""
    generator = np.random.RandomState(source.randrange(1 << 30))
    found = generator.standard_normal(shape) * source.choice(SCALES)
    if source.random() < 0.3:
        found = np.round(found)
    if source.random() < 0.3:
        special = generator.choice([np.nan, np.inf, -np.inf, 0.0, 1.0], shape)
        found = np.where(generator.random_sample(shape) < 0.3, special, found)
    return np.asarray(found)


def tensor(source: random.Random) -> torch.Tensor:
    """Return a tensor; some require grad, are a result, or are transposed."""
    dtype = getattr(torch, source.choice(DTYPES))
    found = values(source, source.choice(SHAPES))
    if not dtype.is_floating_point and not dtype.is_complex:
        limit = 100 if dtype in (torch.int8, torch.uint8) else 30000
        low = 0 if dtype is torch.uint8 else -limit
        found = np.clip(np.nan_to_num(np.round(found)), low, limit)
    made = torch.tensor(found).to(dtype)
    if dtype.is_complex:
        made = made + 1j * made.flip(-1) if made.dim() else made
    if source.random() < 0.2 and made.dim() == 2:
        made = made.t()
    if dtype.is_floating_point and source.random() < 0.3:
        made = made.requires_grad_()
        made = made * 2 if source.random() < 0.5 else made
    return made


def text(source: random.Random) -> str:
    """Return what a tensor prints, after the options that apply."""
    torch.set_printoptions(profile="default")
    given = options(source)
    torch.set_printoptions(**given)
    return f"{given}\n{tensor(source)!r}"


def main(seed: str, count: str, file: str) -> None:
    texts = [text(random.Random(f"{seed}/{number}")) for number in range(int(count))]
    Path(file).write_text(json.dumps(texts))


if __name__ == "__main__":
    main(*sys.argv[1:4])
