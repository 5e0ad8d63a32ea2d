"""Names that other packages import: submodules of parts that are off, dispatch keys, aliases, composites."""

from __future__ import annotations

import importlib
import math
import subprocess
import sys

import pytest

import torch


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("torch.distributed.fsdp.wrap", "ModuleWrapPolicy"),
        ("torch.distributed.tensor.parallel", "ColwiseParallel"),
        ("torch.distributed.checkpoint.state_dict", "StateDictOptions"),
        ("torch._C._distributed_c10d", "ProcessGroup"),
        ("torch.onnx.symbolic_opset11", "unsqueeze"),
        ("torch.onnx.symbolic_helper", "parse_args"),
        ("torch.ao.nn.quantized", "Linear"),
        ("torch.export", "Dim"),
        ("torch.nested", "nested_tensor"),
        ("torch.fx.experimental.symbolic_shapes", "guard_or_false"),
        ("torch._C._functorch", "is_batchedtensor"),
        ("torch._subclasses.fake_tensor", "is_fake"),
        ("torch._dynamo.utils", "is_compile_supported"),
        ("torch.nn.modules.utils", "_pair"),
    ],
)
def test_a_name_of_an_absent_part_can_be_imported(module: str, name: str) -> None:
    assert callable(getattr(importlib.import_module(module), name))


def test_calling_a_name_of_an_absent_part_says_what_is_missing() -> None:
    from torch.distributed.nn import all_gather
    from torch.distributed.tensor import DTensor

    with pytest.raises(RuntimeError, match=r"distributed\.nn\.all_gather needs a build with"):
        all_gather(torch.ones(1))
    with pytest.raises(RuntimeError, match="DTensor needs a build with USE_DISTRIBUTED"):
        DTensor()
    assert not isinstance(torch.ones(1), DTensor)
    with pytest.raises(NotImplementedError, match="needs graph capture"):
        torch.export.export(torch.nn.Identity(), (torch.ones(1),))


def test_unknown_submodules_are_import_errors() -> None:
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("torch.distributed.unknown_part")
    assert not hasattr(torch.distributed, "unknown_part")
    assert not hasattr(torch._C, "unknown_name")


def test_the_new_names_do_not_load_their_modules_with_torch() -> None:
    code = "import sys; known = set(sys.modules); import torch; print(*sys.modules.keys() - known)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    heavy = {"torch._foreach", "torch._arithmetic", "torch.distributed", "torch._dispatch_keys"}
    heavy |= {"typing", "dataclasses", "inspect", "re"}  # 8 ms and 1 MB for typing alone
    assert not heavy & set(loaded.stdout.split())


def test_dispatch_key_sets_follow_the_rules_of_sets() -> None:
    key, keys = torch._C.DispatchKey, torch._C.DispatchKeySet
    both = keys(key.AutocastCPU) | keys(key.CPU)
    assert both.has(key.CPU)
    assert both.has(key.AutocastCPU)
    assert not both.has(key.CUDA)
    assert both.remove(key.AutocastCPU) == keys(key.CPU)
    assert both & keys(key.CPU) == keys(key.CPU)
    assert keys.from_raw_repr(both.raw_repr()) == both
    assert both.highestPriorityTypeId() == key.AutocastCPU
    assert torch._C._dispatch_keys(torch.ones(1)).has(key.CPU)
    assert torch._C._dispatch_key_parse("Meta") == key.Meta


def test_a_guard_excludes_keys_for_its_block_only() -> None:
    autograd = torch._C.DispatchKeySet(torch._C.DispatchKey.AutogradCPU)
    x = torch.ones(1, requires_grad=True)
    with torch._C._ExcludeDispatchKeyGuard(autograd):
        assert torch._C._dispatch_tls_is_dispatch_key_excluded(torch._C.DispatchKey.AutogradCPU)
        assert not (x * 2).requires_grad
    assert (x * 2).requires_grad


def test_check_raises_the_error_of_its_kind() -> None:
    torch._check(True)
    with pytest.raises(RuntimeError, match="the message"):
        torch._check(False, lambda: "the message")
    with pytest.raises(IndexError):
        torch._check_index(False)
    with pytest.raises(TypeError, match="cond must be a bool, but got a Tensor"):
        torch._check(torch.ones(1))
    with pytest.raises(ValueError, match="all"):
        torch._check_tensor_all_with(ValueError, torch.tensor([True, False]), lambda: "all")


def test_foreach_functions_do_what_the_operators_do() -> None:
    a, b = [torch.tensor([1.0, 4.0]), torch.tensor([9.0])], [torch.ones(2), torch.full((1,), 2.0)]
    assert [t.tolist() for t in torch._foreach_add(a, b, alpha=2)] == [[3.0, 6.0], [13.0]]
    assert [t.tolist() for t in torch._foreach_sqrt(a)] == [[1.0, 2.0], [3.0]]
    assert [t.tolist() for t in torch._foreach_pow(2.0, b)] == [[2.0, 2.0], [4.0]]
    assert [t.tolist() for t in torch._foreach_clamp_max(a, 2.0)] == [[1.0, 2.0], [2.0]]
    assert [t.tolist() for t in torch._foreach_addcmul(a, b, b, [1.0, 10.0])] == [
        [2.0, 5.0],
        [49.0],
    ]
    torch._foreach_mul_(a, 2.0)
    torch._foreach_lerp_(a, b, 0.5)
    assert [t.tolist() for t in a] == [[1.5, 4.5], [10.0]]
    torch._foreach_copy_(a, b)
    assert [t.tolist() for t in a] == [[1.0, 1.0], [2.0]]
    with pytest.raises(RuntimeError, match="same number of tensors"):
        torch._foreach_add(a, b[:1])


def test_second_names_are_the_same_functions() -> None:
    x, y = torch.randn(2, 3), torch.randn(2, 3)
    assert torch.equal(torch.subtract(x, y, alpha=2), x - 2 * y)
    assert torch.equal(x.arctan2(y), torch.atan2(x, y))
    assert torch.equal(x.clone().multiply_(y), x * y)
    assert torch.concat([x, y]).shape == (4, 3)
    assert torch.swapaxes(x, 0, 1).shape == (3, 2)


def test_composites_have_gradients_and_in_place_forms() -> None:
    x = torch.tensor([3.0, 1.0, 2.0, 5.0], dtype=torch.float64, requires_grad=True)
    for function in (
        lambda t: torch.cummax(t, 0).values,
        lambda t: torch.logcumsumexp(t, 0),
        lambda t: t.index_fill(0, torch.tensor([1]), 2.0),
        lambda t: t.take(torch.tensor([0, 0, 3])),
        lambda t: torch.matrix_exp(t.view(2, 2)),
        lambda t: t.masked_scatter(torch.tensor([True, False, True, False]), t * 2),
    ):
        assert torch.autograd.gradcheck(function, (x,))
    filled = torch.zeros(3).index_fill_(0, torch.tensor([2]), 4.0)
    assert filled.tolist() == [0.0, 0.0, 4.0]
    mantissa, exponent = torch.frexp(torch.tensor([0.0, -6.0, math.inf]))
    assert mantissa.tolist() == [0.0, -0.75, math.inf]
    assert exponent.tolist() == [0, 3, 0]
    assert torch.cummin(torch.tensor([2, 3, 1, 1]), 0).indices.tolist() == [0, 0, 2, 3]


@pytest.mark.parametrize("shape", [(5,), (5, 2)])
def test_running_extremes_keep_the_last_nan(shape: tuple[int, ...]) -> None:
    rows = torch.tensor([1.0, torch.nan, 3.0, torch.nan, 2.0])
    x = rows if len(shape) == 1 else torch.stack([rows, -rows], 1)
    for function in (torch.cummax, torch.cummin):
        values, indices = function(x, 0)
        assert values[0].equal(x[0])
        assert values[1:].isnan().all()
        assert indices.reshape(5, -1)[:, 0].tolist() == [0, 1, 1, 3, 3]


def test_cond_and_while_loop_run_eagerly() -> None:
    assert torch.cond(torch.tensor(False), torch.sin, torch.cos, (torch.zeros(1),)).item() == 1.0
    from torch._higher_order_ops import associative_scan, scan

    total = associative_scan(torch.mul, torch.tensor([1.0, 2.0, 3.0, 4.0]), 0, reverse=True)
    assert total.tolist() == [24.0, 24.0, 12.0, 4.0]
    last, all_of_them = scan(lambda c, x: (c + x, c * x), torch.zeros(()), torch.arange(4.0))
    assert last.item() == 6.0
    assert all_of_them.tolist() == [0.0, 0.0, 2.0, 9.0]


def test_fusion_folds_a_normalisation() -> None:
    torch.manual_seed(0)
    layers = [torch.nn.Conv2d(2, 3, 3), torch.nn.BatchNorm2d(3), torch.nn.ReLU()]
    model = torch.nn.Sequential(*layers)
    model(torch.randn(4, 2, 5, 5))
    x = torch.randn(2, 2, 5, 5)
    expected = model.eval()(x)
    fused = torch.ao.quantization.fuse_modules(model, ["0", "1", "2"])
    torch.testing.assert_close(fused(x), expected)
    assert isinstance(fused[0], torch.ao.nn.intrinsic.ConvReLU2d)
    up, norm = torch.nn.ConvTranspose2d(2, 3, 3, bias=False).eval(), layers[1].eval()
    both = torch.nn.utils.fuse_conv_bn_eval(up, norm, transpose=True)
    torch.testing.assert_close(both(x), norm(up(x)))


def test_libraries_can_name_collectives() -> None:
    gather = torch.ops._c10d_functional.all_gather_into_tensor.default
    assert gather.name() == "_c10d_functional::all_gather_into_tensor"
    with pytest.raises(RuntimeError, match="USE_DISTRIBUTED"):
        gather(torch.ones(1), 1, "group")
    ready = torch.ones(1)
    assert torch.ops._c10d_functional.wait_tensor(ready) is ready


def test_integer_products_do_not_overflow() -> None:
    from torch._higher_order_ops.out_dtype import out_dtype

    full = torch.full((2, 2), 100, dtype=torch.int8)
    product = out_dtype(torch.ops.aten.mm.default, torch.int32, full, full)
    assert product.dtype is torch.int32 and product.tolist() == [[20000, 20000]] * 2
    with pytest.raises(ValueError, match="only allows the following operators"):
        out_dtype(torch.ops.aten.relu.default, torch.int32, full)
