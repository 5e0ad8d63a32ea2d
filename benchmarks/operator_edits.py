"""An operator that benchmarks add, change and remove: one YAML entry and one kernel file."""

from __future__ import annotations

from dataclasses import dataclass

from build_checkout import Checkout

_NATIVE = "aten/src/ATen/native"
_DECLARATION = """
- func: NAME(Tensor self) -> Tensor
  variants: VARIANTS
  dispatch:
    CompositeExplicitAutograd: NAME
"""
_KERNEL = """#include <ATen/ops/add.h>
#include <ATen/ops/NAME_native.h>

namespace at::native {
Tensor NAME(const Tensor& self) {
  return at::add(self, self);
}
}  // namespace at::native
"""


@dataclass(frozen=True)
class NewOperator:
    """An operator that doubles its argument; the change adds the factor as an argument."""

    name: str
    method: bool = False

    @property
    def _entry(self) -> str:
        variants = "function, method" if self.method else "function"
        return _DECLARATION.replace("NAME", self.name).replace("VARIANTS", variants)

    def add(self, checkout: Checkout) -> None:
        checkout.append(f"{_NATIVE}/native_functions.yaml", self._entry)
        checkout.append(f"{_NATIVE}/{self.name}.cpp", _KERNEL.replace("NAME", self.name))

    def change(self, checkout: Checkout) -> None:
        """Add an argument to the schema and to the kernel."""
        checkout.replace(
            f"{_NATIVE}/native_functions.yaml",
            f"{self.name}(Tensor self)",
            f"{self.name}(Tensor self, int times=3)",
        )
        kernel = f"{_NATIVE}/{self.name}.cpp"
        checkout.replace(kernel, "(const Tensor& self)", "(const Tensor& self, int64_t times)")
        checkout.replace(kernel, "at::add(self, self)", "at::add(self, self, times - 1)")

    def remove(self, checkout: Checkout) -> None:
        """Remove the operator in its changed form."""
        changed = self._entry.replace("(Tensor self)", "(Tensor self, int times=3)")
        checkout.replace(f"{_NATIVE}/native_functions.yaml", changed, "")
        (checkout.root / _NATIVE / f"{self.name}.cpp").unlink()

    @property
    def proof(self) -> str:
        return self._proof([2, 2])

    @property
    def proof_of_change(self) -> str:
        return self._proof([3, 3])

    @property
    def proof_of_removal(self) -> str:
        return f"import torch; assert not hasattr(torch, {self.name!r})"

    def _proof(self, result: list[int]) -> str:
        call = (
            f"torch.ones(2).{self.name}()" if self.method else f"torch.{self.name}(torch.ones(2))"
        )
        return f"import torch; assert {call}.tolist() == {result}"
