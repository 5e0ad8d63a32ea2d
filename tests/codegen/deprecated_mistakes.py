"""Mistakes in deprecated.yaml: the text, the position, and the message."""

from __future__ import annotations

ADD = "- name: add(Tensor self, Scalar alpha, Tensor other) -> Tensor\n"

DEPRECATED_MISTAKES = [
    (ADD, 1, 1, "an entry needs a signature, `name:`, and its call, `aten:`"),
    ("- aten: add(self, other)\n", 1, 1, "an entry needs a signature"),
    (ADD + "  atn: add(self, other, alpha)\n", 2, 3, 'unknown field "atn" (did you mean "aten"?)'),
    (ADD + "  aten: add self\n", 2, 9, "expected a call: operator(argument, argument)"),
    (
        ADD + "  aten: ad(self, other, alpha)\n",
        2,
        9,
        'no operator has a C++ function "ad" (did you mean "add"?)',
    ),
    (
        ADD + "  aten: add(slef, other, alpha)\n",
        2,
        13,
        '"slef" is neither a parameter nor a number',
    ),
    (ADD + "  aten: add(self, other)\n", 2, 19, "the call leaves out alpha"),
    (ADD + "  aten: add(self, alpha, other)\n", 2, 9, 'no overload of "add" takes these arguments'),
    (ADD + "  aten: add(self, other, alpha, 1)\n", 2, 9, 'no overload of "add" takes these'),
    (
        ADD.replace("Scalar", "Sclar") + "  aten: add(self, other, alpha)\n",
        1,
        26,
        'unknown type "Sclar" (did you mean "Scalar"?)',
    ),
    (ADD + "  aten: [add(self)]\n", 2, 3, '"aten" takes a single value'),
    (
        2 * (ADD + "  aten: add(self, other, alpha)\n"),
        3,
        9,
        "is already declared at line 1",
    ),
]
