"""Names of nodes and globals in generated code."""

from __future__ import annotations

import builtins
import keyword
import re
from collections import defaultdict
from typing import Any

import torch

# Globals that generated code can use without importing them.
CUSTOM_BUILTINS: dict[str, tuple[str, Any]] = {
    "inf": ("from math import inf", float("inf")),
    "nan": ("from math import nan", float("nan")),
    "NoneType": ("NoneType = type(None)", type(None)),
    "torch": ("import torch", torch),
    "device": ("from torch import device", torch.device),
}
_ILLEGAL = re.compile(r"[^0-9a-zA-Z_]+")
_NUMBERED = re.compile(r"(.*)_(\d+)$")


def snake_case(text: str) -> str:
    """Convert CamelCase to snake_case."""
    result = []
    after_lower = False
    for char in text:
        if after_lower and char.isupper():
            result.append("_")
        after_lower = char.islower()
        result.append(char.lower())
    return "".join(result)


class Namespace:
    """The names in use, and the objects that they stand for."""

    def __init__(self) -> None:
        self._obj_to_name: dict[Any, str] = {}
        self._used_names: set[str] = set()
        self._base_count: dict[str, int] = defaultdict(int)

    def create_name(self, candidate: str, obj: Any) -> str:
        """Return a new name like `candidate`; an object that has a name keeps it."""
        if obj is not None and obj in self._obj_to_name:
            return self._obj_to_name[obj]
        candidate = _ILLEGAL.sub("_", candidate) or "_unnamed"
        if candidate[0].isdigit():
            candidate = f"_{candidate}"
        match = _NUMBERED.match(candidate)
        base, number = (match[1], int(match[2])) if match else (candidate, None)
        if candidate in self._used_names or (number is None and self._is_illegal(candidate, obj)):
            number = max(number or 0, self._base_count.get(base, 0))
            candidate = f"{base}_{number}" if number else base
        while candidate in self._used_names or self._is_illegal(candidate, obj):
            number = (number or 0) + 1
            candidate = f"{base}_{number}"
        self._used_names.add(candidate)
        if number is not None:
            self._base_count[base] = number
        if obj is not None:
            self._obj_to_name[obj] = candidate
        return candidate

    def associate_name_with_obj(self, name: str, obj: Any) -> None:
        """Give an object a name that was created before."""
        self._obj_to_name.setdefault(obj, name)

    def _is_illegal(self, name: str, obj: Any) -> bool:
        if keyword.iskeyword(name):
            return True
        if name in builtins.__dict__:
            return obj is not builtins.__dict__[name]
        if name in CUSTOM_BUILTINS:
            return obj is not CUSTOM_BUILTINS[name][1]
        return False

    def _rename_object(self, obj: Any, name: str) -> None:
        self._obj_to_name[obj] = name
        self._used_names.add(name)
