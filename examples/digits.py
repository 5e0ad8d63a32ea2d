"""Images of digits: read from MNIST's files, or synthetic ones of the same shape."""

from __future__ import annotations

import gzip
import struct
from pathlib import Path

import numpy as np

import torch
from torch import Tensor

# Each digit as five rows of three cells, the way a pocket calculator would print it.
_FONT = (
    "###|#.#|#.#|#.#|###",
    ".#.|##.|.#.|.#.|###",
    "###|..#|###|#..|###",
    "###|..#|.##|..#|###",
    "#.#|#.#|###|..#|..#",
    "###|#..|###|..#|###",
    "###|#..|###|#.#|###",
    "###|..#|..#|.#.|.#.",
    "###|#.#|###|#.#|###",
    "###|#.#|###|..#|###",
)


def draw(count: int, seed: int) -> tuple[Tensor, Tensor]:
    """Draw shifted, scaled and noisy digits: images (count, 1, 28, 28) in [0, 1], and labels."""
    random = np.random.RandomState(seed)
    glyphs = [np.array([[c == "#" for c in row] for row in g.split("|")], float) for g in _FONT]
    images = np.zeros((count, 1, 28, 28), np.float32)
    digits = random.randint(0, 10, count)
    for image, digit in zip(images, digits, strict=True):
        height, width = random.randint(3, 5), random.randint(3, 6)
        glyph = np.kron(glyphs[digit], np.ones((height, width)))
        top = (28 - glyph.shape[0]) // 2 + random.randint(-2, 3)
        left = (28 - glyph.shape[1]) // 2 + random.randint(-3, 4)
        area = (slice(top, top + glyph.shape[0]), slice(left, left + glyph.shape[1]))
        image[0][area] = glyph * random.uniform(0.6, 1.0)
        image[0] += random.uniform(0, 0.25, (28, 28))
    return torch.from_numpy(images.clip(0, 1)), torch.from_numpy(digits.astype(np.int64))


def _read_idx(path: Path) -> np.ndarray:
    """Read an array in MNIST's format: a magic number, the sizes, then the bytes."""
    with gzip.open(path) as file:
        data = file.read()
    dimensions = data[3]
    sizes = struct.unpack(f">{dimensions}I", data[4 : 4 + 4 * dimensions])
    return np.frombuffer(data, np.uint8, offset=4 + 4 * dimensions).reshape(sizes)


def load(folder: Path | None, train: bool, count: int) -> tuple[Tensor, Tensor]:
    """Return images and labels, read from MNIST's four .gz files in `folder` or drawn."""
    if folder is None:
        return draw(count, seed=1 if train else 2)
    kind = "train" if train else "t10k"
    images = _read_idx(folder / f"{kind}-images-idx3-ubyte.gz")[:count, None] / np.float32(255)
    digits = _read_idx(folder / f"{kind}-labels-idx1-ubyte.gz")[:count]
    return torch.from_numpy(images), torch.from_numpy(digits.astype(np.int64))
