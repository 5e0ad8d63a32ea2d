"""The paths of the tree's operator files."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[2]
NATIVE = ROOT / "aten/src/ATen/native/native_functions.yaml"
TAGS = ROOT / "aten/src/ATen/native/tags.yaml"
DOCS = ROOT / "aten/src/ATen/native/operator_docs.yaml"
DERIVATIVES = ROOT / "tools/autograd/derivatives.yaml"
DEPRECATED = ROOT / "tools/autograd/deprecated.yaml"
