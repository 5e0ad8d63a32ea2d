"""Prints test_printing's expressions with the torch of the Python that runs this, as JSON."""

from __future__ import annotations

import ast
import json
import sys
from pathlib import Path

import torch

source = ast.parse(Path(__file__).with_name("test_printing.py").read_text(encoding="utf-8"))
wanted = ("EXPRESSIONS", "OPTIONS", "render")
kept = [
    node
    for node in source.body
    if (isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") in wanted)
    or (isinstance(node, ast.FunctionDef) and node.name in wanted)
]
names: dict[str, object] = {"torch": torch}
exec(compile(ast.Module(kept, []), "test_printing.py", "exec"), names)
render = names["render"]
assert callable(render)
json.dump(render(), sys.stdout)
