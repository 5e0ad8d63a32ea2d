"""What the Type families do: objects of tensors' types that dispatch, and an extension's back end.

python behaviour.py BUILD_FOLDER
"""

from __future__ import annotations

import sys
from pathlib import Path

import torch
from torch.utils import cpp_extension

HERE = Path(__file__).resolve().parent


def load(folder: Path) -> None:
    """Compile both libraries against the headers of the package."""
    cpp_extension.load(
        "legacy_types_test",
        [str(HERE / "types.cpp"), str(HERE / "msnpu.cpp")],
        extra_ldflags=["-ltorch_legacy_types"],
        is_python_module=False,
        build_directory=str(folder),
    )


def same(actual: object, expected: object) -> None:
    torch.testing.assert_close(actual, expected)


def refused(message: str, function, *arguments) -> None:
    try:
        function(*arguments)
    except (TypeError, RuntimeError, NotImplementedError) as error:
        assert message in str(error), error
    else:
        raise AssertionError(f"nothing was refused: {message}")


def check_types(types) -> None:
    names = {
        torch.bool: "Bool", torch.uint8: "Byte", torch.int8: "Char", torch.int16: "Short",
        torch.int32: "Int", torch.int64: "Long", torch.float16: "Half", torch.bfloat16: "BFloat16",
        torch.float32: "Float", torch.float64: "Double", torch.complex64: "ComplexFloat",
        torch.complex128: "ComplexDouble",
    }  # fmt: skip
    for dtype, name in names.items():
        t = torch.zeros(2, dtype=dtype)
        assert types.name_of(t) == f"Variable[CPU{name}Type]"
        assert types.name_below_autograd(t) == f"CPU{name}Type"
        made = types.zeros([2, 3], dtype)
        same(made, torch.zeros(2, 3, dtype=dtype))
    assert types.identities(torch.ones(1))
    with torch.inference_mode():
        assert types.name_of(torch.ones(1)) == "CPUFloatType"


def check_calls(types) -> None:
    x = torch.tensor([[1.0, -2.0], [3.0, 0.5]], requires_grad=True)
    y = torch.tensor([[4.0, 1.0], [0.0, 2.0]])
    result = types.add(x, y)
    same(result, x + 2 * y)
    assert result.grad_fn is not None and result.grad_fn.name() == "AddBackward0"
    below = types.add_below_autograd(x, y)
    same(below, (x + 2 * y).detach())
    assert below.grad_fn is None
    out = torch.empty(2, 2)
    assert types.add_out(x.detach(), y, out) is out
    same(out, (x + 2 * y).detach())
    for actual, expected in zip(types.max(x, 1), torch.max(x, 1, keepdim=True), strict=True):
        same(actual, expected)
    same(types.outer(y[0], y[1]), torch.outer(y[0], y[1]))


def check_creation_errors(types) -> None:
    refused("CPUFloatType] cannot create tensors of Long", types.create_wrongly, "dtype")
    refused("cannot create tensors on meta", types.create_wrongly, "device")
    refused("cannot create tensors with the layout Sparse", types.create_wrongly, "layout")
    refused("there is no type CPUUInt16Type in this build", types.create_wrongly, "element")
    refused("there is no type for tensors on meta", types.name_of, torch.ones(1, device="meta"))


def check_extension(types, msnpu) -> None:
    refused("MAIA", types.create_wrongly, "kernel")
    msnpu.register_all()
    x = torch.empty(3, device="maia").fill_(2)
    y = torch.empty(3, device="maia").fill_(5)
    assert x.device.type == "maia" and msnpu.calls() == 4
    assert types.name_of(x) == "Variable[MSNPUFloatType]"
    assert types.name_below_autograd(x) == "MSNPUFloatType"
    assert msnpu.values(types.add(x, y)) == [12.0] * 3
    assert msnpu.values(torch.add(x, y, alpha=3)) == [17.0] * 3
    assert msnpu.calls() == 8
    leaf = x.requires_grad_()
    total = types.add(leaf, y)
    assert total.grad_fn is not None and total.grad_fn.name() == "AddBackward0"
    refused("mul", lambda: x.detach() * y)


def check_registration_errors(msnpu) -> None:
    refused("is declared differently", msnpu.register_wrongly, "schema")
    refused("addd", msnpu.register_wrongly, "name")
    refused("mul", msnpu.register_wrongly, "function")
    refused("not the back end of an extension: CPU", msnpu.register_wrongly, "backend")


def main() -> None:
    load(Path(sys.argv[1]))
    types, msnpu = torch.ops.types_test, torch.ops.msnpu_test
    check_types(types)
    check_calls(types)
    check_creation_errors(types)
    check_extension(types, msnpu)
    check_registration_errors(msnpu)


if __name__ == "__main__":
    main()
