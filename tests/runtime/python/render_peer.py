"""Print the expressions of test_printing as JSON, with the torch of the running Python."""

from __future__ import annotations

import ast
import json
import sys
from pathlib import Path

import torch

source = ast.parse(Path(__file__).with_name("test_printing.py").read_text(encoding="utf-8"))
needed = ("EXPRESSIONS", "OPTIONS", "render")
kept = [
    node
    for node in source.body
    if (isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") in needed)
    or (isinstance(node, ast.FunctionDef) and node.name in needed)
]
names: dict[str, object] = {"torch": torch}
exec(compile(ast.Module(kept, []), "test_printing.py", "exec"), names)
render = names["render"]
assert callable(render)
json.dump(render(), sys.stdout)
