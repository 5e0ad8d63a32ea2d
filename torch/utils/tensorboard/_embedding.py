"""The files of the projector: points, their labels and images, and the list of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch.utils.tensorboard import _events


def _rows(rows: Any) -> str:
    return "".join("\t".join(str(each) for each in row) + "\n" for row in rows)


def _labels(metadata: Sequence[Any], header: Sequence[Any] | None) -> str:
    if not header:
        return "".join(f"{label}\n" for label in metadata)
    if len(header) != len(metadata[0]):
        raise AssertionError("len of header must be equal to the number of columns in metadata")
    return _rows([header, *metadata])


def _sprite(images: torch.Tensor) -> bytes:
    """Return one square image with all images, row by row."""
    side = math.ceil(len(images) ** 0.5)
    padded = torch.cat([images, images.new_zeros((side * side - len(images), *images.shape[1:]))])
    rows = [torch.cat(list(row), 2) for row in padded.split(side)]
    return _events.png(_events.pixels(torch.cat(rows, 1), "CHW"))


def write(
    log_dir: str,
    folder: str,
    tag: str,
    points: torch.Tensor,
    metadata: Sequence[Any] | None,
    images: torch.Tensor | None,
    header: Sequence[Any] | None,
) -> None:
    """Write the files of some points into a folder below `log_dir`, and add them to its list."""
    if metadata is not None and len(metadata) != len(points):
        raise AssertionError("#labels should equal with #data points")
    if images is not None and len(images) != len(points):
        raise AssertionError("#images should equal with #data points")
    if points.dim() != 2:
        raise AssertionError("mat should be 2D, where mat.size(0) is the number of data points")
    target = Path(log_dir, folder)
    target.mkdir(parents=True, exist_ok=True)
    lines = [f'tensor_name: "{tag}:{Path(folder).parts[0]}"']
    if metadata is not None:
        (target / "metadata.tsv").write_text(_labels(metadata, header), encoding="utf-8")
        lines.append(f'metadata_path: "{folder}/metadata.tsv"')
    if images is not None:
        (target / "sprite.png").write_bytes(_sprite(images))
        height, width = images.shape[2:]
        lines += ["sprite {", f'  image_path: "{folder}/sprite.png"']
        lines += [f"  single_image_dim: {width}", f"  single_image_dim: {height}", "}"]
    lines.append(f'tensor_path: "{folder}/tensors.tsv"')
    (target / "tensors.tsv").write_text(_rows(points.detach().tolist()), encoding="utf-8")
    entry = "".join(f"  {line}\n" for line in lines)
    with open(Path(log_dir, "projector_config.pbtxt"), "a", encoding="utf-8") as file:
        file.write(f"embeddings {{\n{entry}}}\n")
