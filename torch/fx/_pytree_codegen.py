"""Generated code of graphs that take and return nested containers."""

from __future__ import annotations

from typing import Any, NamedTuple

from torch.fx import _pytree as fx_pytree
from torch.fx._codegen import CodeGen
from torch.utils import _pytree as pytree


class _PyTreeInfo(NamedTuple):
    """The parameters of the traced function, and the structures of its inputs and its result."""

    orig_args: list[str]
    in_spec: pytree.TreeSpec
    out_spec: pytree.TreeSpec | None


class _PyTreeCodeGen(CodeGen):
    """Writes functions that flatten their arguments first and rebuild the result at the end."""

    def __init__(self, pytree_info: _PyTreeInfo) -> None:
        super().__init__()
        self.pytree_info = pytree_info

    def process_inputs(self, *args: Any) -> Any:
        """Return the leaves of the arguments."""
        return pytree.tree_leaves(list(args))

    def process_outputs(self, outputs: Any) -> Any:
        """Return the result as the traced function does."""
        if self.pytree_info.out_spec is None:
            return outputs
        return pytree.tree_unflatten(list(outputs), self.pytree_info.out_spec)

    def gen_fn_def(self, free_vars: list[str], maybe_return_annotation: str) -> str:
        """Return the line that begins the function, and the one that flattens the arguments."""
        given = self.pytree_info.orig_args
        names = [name.partition(" ")[0].partition("=")[0] for name in free_vars]
        parameters = ", ".join(["self", *(name for name in given if name != "self")])
        head = f"def forward({parameters}){maybe_return_annotation}:"
        if not names:
            return head
        flatten = f"fx_pytree.tree_flatten_spec([{', '.join(given)}], self._in_spec)"
        return f"{head}\n    {', '.join(names)}, = {flatten}"

    def generate_output(self, output_args: Any) -> str:
        """Return the statement that rebuilds and returns the result."""
        if self.pytree_info.out_spec is None:
            return super().generate_output(output_args)
        return f"return pytree.tree_unflatten({output_args!r}, self._out_spec)"

    def additional_globals(self) -> list[tuple[str, Any]]:
        """Return the modules that the code uses."""
        return [("fx_pytree", fx_pytree), ("pytree", pytree)]
