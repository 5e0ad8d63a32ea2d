"""The stage onnx: ONNX's messages in the namespace of the build, under third_party/onnx."""

from __future__ import annotations

from functools import partial

from tools.codegen.errors import InputError, Problem
from tools.drivers.context import Context
from tools.onnx.gen_proto import SOURCES, proto_files

_STEMS = ("onnx", "onnx-operators")


def stage(context: Context) -> None:
    """Generate the files that protoc and the C++ of torch/csrc/onnx read."""
    namespace = context.options.get("ONNX_NAMESPACE") or "onnx_torch"
    for stem in _STEMS:
        name = f"{SOURCES}/{stem}.in.proto"
        text = (context.root / name).read_text(encoding="utf-8")
        try:
            files = proto_files(stem, text, namespace)
        except ValueError as error:
            raise InputError([Problem(name, 1, 1, str(error))], {name: text}) from None
        for file, content in files.items():
            context.files.add(f"third_party/onnx/onnx/{file}", content, partial(str, content))
