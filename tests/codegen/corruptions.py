"""Random corruptions of a text file: lines and bytes deleted, repeated, swapped or overwritten."""

from __future__ import annotations

import re
from dataclasses import dataclass

from hypothesis import strategies as st

BILLION_LAUGHS = b"".join(
    b"&l%d [%s]\n" % (n, b", ".join([b"*l%d" % (n - 1)] * 9) if n else b"ha") for n in range(9)
)
# Bytes that are difficult for a decoder, a terminal or YAML.
ROUGH = [
    b"\0", b"\t", b"\r", b"\r\n", b"\n", b"\n\n", b"\x01\x1b[31m", b"\x7f", b"\x0b\x0c", b" ",
    b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xf0\x9f", b"\xef\xbb\xbf", b"\xff\xfe",
    b"\xc2\x85", b"\xe2\x80\xa8", b"\xe2\x80\xae", b"\xc3\xa9", b"\xf0\x9f\x94\xa5", b"\xd9\xa1",
    b"[", b"]", b"{", b"}", b"(", b")", b"<", b">", b"'", b'"', b"'''", b"\\", b"|", b"#", b" #",
    b",", b", ", b":", b": ", b"::", b".", b"-", b"- ", b"->", b" -> ", b"?", b"? ", b"!", b"*",
    b"=", b"@", b"`", b"%", b"$", b"${name}", b"//@section file\n", b"~", b"_", b"__", b"0",
    b"&a ", b"*a", b"&a *a", b"<<: *a\n", b"\n  <<: {func: f() -> ()}\n", b"---\n", b"...\n",
    b"%YAML 9.9\n", b"!!python/object/apply:os.system [ls]", b"!!binary aa==", b"!!set ",
    b"- &a [*a]\n", b"- func: f() -> ()\n", BILLION_LAUGHS,
]  # fmt: skip
# Pieces that provoke deep recursion or superlinear time when repeated.
REPEATED = [
    b"[", b"{a: ", b"- ", b"(", b"?", b"[]", b"x", b"9", b"Tensor[", b"(a|", b"Tensor(a -> ", b"'",
    b"a, ", b" ", b"\n ", b"*a ", b"a: ", b"-> ", b"x.y(", b"f(x) + ", b"!", b"_", b"\t", b"#",
]  # fmt: skip
# Words of the operator files that look valid in the wrong place.
WORDS = [
    b"Tensor", b"Tensor?", b"Tensor[]", b"Tensor(a!)", b"Tensor(a)", b"Tensor?[]", b"Tensor[]?",
    b"Tensor(a!)[]", b"Tensor(a -> *)", b"int[2]", b"SymInt[]?", b"bool[3]", b"str", b"Scalar?",
    b"Dimname[1]?", b"Generator?", b"Storage", b"Stream", b"ConstQuantizerPtr", b"Device[]",
    b"ScalarType?[]", b"MemoryFormat", b"__torch__.torch.classes.a.B", b"int", b"float[]?",
    b"Layout", b"QScheme?", b"DimVector", b"SymBool", b"complex", b"DeviceIndex", b"Scalar[]",
    b"a=None", b"a=[]", b"a=-1", b"a=1e400", b"a=nan", b"a='", b"a=True", b"a=Mean", b"a=[0, 1]",
    b"a='a\\'b'", b"self", b"out", b"*, ", b"int self", b"grad", b"grads", b"result", b"result0",
    b"self_p", b"_out", b"out", b"operator", b"int x=", b"class", b"None", b"lambda", b"dtype",
    b"True", b"False", b"method", b"function", b"CPU", b"Meta", b"core", b"nn", b"func", b"variants",
    b"structured", b"structured_delegate", b"structured_inherits", b"autogen", b"dispatch", b"tags",
    b"precomputed", b"python_module", b"manual_cpp_binding", b"cpp_no_default_args",
    b"CompositeImplicitAutograd", b"CompositeExplicitAutogradNonFunctional", b"TensorIteratorBase",
    b"auto_linear", b"auto_element_wise", b"not_implemented", b"non_differentiable",
    b"output_differentiability", b"grad_input_mask", b"retain_variables", b"zeros_like", b"name",
]  # fmt: skip
_BYTES = ["delete bytes", "insert noise", "overwrite", "truncate", "copy bytes"]
_LINES = ["delete line", "duplicate line", "swap lines", "indent line", "join lines"]
_WORDS = ["swap words", "replace word", "delete word"]

_WORD = re.compile(rb"[A-Za-z_]\w*")


@dataclass(frozen=True)
class Corruption:
    """One corruption; positions are fractions of the text's length, so that they fit any text."""

    kind: str
    place: float
    other: float
    length: int
    noise: bytes
    repeat: int = 1

    def apply(self, text: bytes) -> bytes:
        """Return the corrupted text."""
        if self.kind.endswith(("word", "words")):
            return self._to_words(text)
        if self.kind.endswith(("line", "lines")):
            return b"".join(self._to_lines(text.splitlines(keepends=True)))
        at, other = int(self.place * len(text)), int(self.other * len(text))
        noise = self.noise * self.repeat
        match self.kind:
            case "delete bytes":
                return text[:at] + text[at + self.length :]
            case "insert noise":
                return text[:at] + noise + text[at:]
            case "overwrite":
                return text[:at] + noise + text[at + len(noise) :]
            case "truncate":
                return text[:at]
            case _:
                return text[:at] + text[other : other + self.length] + text[at:]

    def _to_lines(self, lines: list[bytes]) -> list[bytes]:
        if not lines:
            return lines
        at, other = int(self.place * len(lines)), int(self.other * len(lines))
        match self.kind:
            case "delete line":
                del lines[at]
            case "duplicate line":
                lines.insert(other, lines[at])
            case "swap lines":
                lines[at], lines[other] = lines[other], lines[at]
            case "indent line":
                lines[at] = b" " * (self.length % 7) + lines[at].lstrip()
            case _:
                lines[at] = lines[at].rstrip(b"\n")
        return lines

    def _to_words(self, text: bytes) -> bytes:
        words = list(_WORD.finditer(text))
        if not words:
            return text
        at, other = words[int(self.place * len(words))], words[int(self.other * len(words))]
        new = {
            "swap words": other[0],
            "replace word": self.noise * self.repeat,
            "delete word": b"",
        }[self.kind]
        changed = text[: at.start()] + new + text[at.end() :]
        if self.kind == "swap words" and at.end() <= other.start():
            shift = len(changed) - len(text)
            start, end = other.start() + shift, other.end() + shift
            changed = changed[:start] + at[0] + changed[end:]
        return changed


_FRACTION = st.floats(0, 1, exclude_max=True)


def _corruption(kinds: list[str], noise: st.SearchStrategy[bytes]) -> st.SearchStrategy[Corruption]:
    return st.builds(
        Corruption,
        kind=st.sampled_from(kinds),
        place=_FRACTION,
        other=_FRACTION,
        length=st.integers(1, 60),
        noise=noise,
    )


_repeated = st.builds(
    Corruption,
    kind=st.sampled_from(["insert noise", "replace word"]),
    place=_FRACTION,
    other=_FRACTION,
    length=st.just(1),
    noise=st.sampled_from(REPEATED),
    repeat=st.sampled_from([30, 300, 3000, 30000]),
)
gentle = st.lists(_corruption(_LINES + 3 * _WORDS, st.sampled_from(WORDS)), min_size=1, max_size=2)
"""Damage to words or lines, which usually leaves valid YAML."""
rough = st.lists(
    _corruption(_BYTES + _LINES, st.sampled_from(ROUGH) | st.binary(min_size=1, max_size=4))
    | _repeated,
    min_size=1,
    max_size=4,
)
"""Damage to bytes."""
