"""Names outside the documented interface that other packages use, with what they do in PyTorch."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest

import functorch
import torch
from torch import nn


def test_tensors_can_be_flattened_into_one_and_back() -> None:
    from torch._utils import _flatten_dense_tensors, _take_tensors, _unflatten_dense_tensors

    tensors = [torch.arange(6.0).view(2, 3), torch.ones(2), torch.zeros(())]
    flat = _flatten_dense_tensors(tensors)
    assert flat.tolist() == [0, 1, 2, 3, 4, 5, 1, 1, 0]
    for part, tensor in zip(_unflatten_dense_tensors(flat, tensors), tensors, strict=True):
        torch.testing.assert_close(part, tensor)
    sizes = [[t.numel() for t in group] for group in _take_tensors(tensors, 24)]
    assert sizes == [[6], [2, 1]]


def test_device_indices() -> None:
    from torch._utils import _get_device_index, _get_device_module

    assert _get_device_index("cuda:1") == 1 and _get_device_index(3) == 3
    assert _get_device_index("cpu", allow_cpu=True) == -1
    with pytest.raises(ValueError, match="non cpu device"):
        _get_device_index("cpu")
    with pytest.raises(ValueError, match="specified index"):
        _get_device_index("cuda")
    assert _get_device_module("cpu") is torch.cpu
    with pytest.raises(RuntimeError, match="does not have a corresponding module"):
        _get_device_module("nothing")


def test_seeds_of_workers_are_those_of_pytorch() -> None:
    from torch.utils.data._utils.worker import _generate_state

    assert _generate_state(12345678901234, 3) == [2677634501, 810098766, 226270600, 4115140591]


def test_rules_of_collation_can_be_imported() -> None:
    from torch.utils.data._utils import collate

    rule = collate.default_collate_fn_map[torch.Tensor]
    assert rule is collate.collate_tensor_fn
    assert collate.np_str_obj_array_pattern.search("<U3") is not None


def test_tensors_of_modules_can_be_swapped() -> None:
    from torch.nn.utils._named_member_accessor import NamedMemberAccessor, swap_tensor

    layer = nn.BatchNorm1d(2)
    old, new = layer.weight, torch.zeros(2)
    assert swap_tensor(layer, "weight", new) is old and layer.weight is new
    with pytest.raises(AttributeError, match="has no attribute `nothing`"):
        swap_tensor(layer, "nothing", new)
    with pytest.raises(KeyError):
        swap_tensor(layer, "a.b", new)
    model = nn.Sequential(nn.Linear(2, 1))
    accessor = NamedMemberAccessor(model)
    before, missing = accessor.swap_tensors_dict({"0.weight": torch.ones(1, 2)})
    assert model[0].weight.tolist() == [[1, 1]] and not missing
    accessor.swap_tensors_dict(before)
    assert model[0].weight is before["0.weight"]
    assert accessor.check_keys(["0.bias", "other"]) == (["0.weight"], ["other"])


def test_hooks_run_when_modules_get_members() -> None:
    from torch.nn.modules import module

    seen: list[Any] = []
    handles = [
        register(lambda owner, name, value: seen.append((type(owner).__name__, name)))
        for register in (
            module.register_module_parameter_registration_hook,
            module.register_module_buffer_registration_hook,
            module.register_module_module_registration_hook,
        )
    ]
    try:
        model = nn.Module()
        model.weight = nn.Parameter(torch.ones(1))
        model.register_buffer("mean", torch.zeros(1))
        model.layer = nn.ReLU()
        model.layer = None
    finally:
        for handle in handles:
            handle.remove()
    assert [name for _, name in seen] == ["weight", "mean", "layer", "layer"]
    handle = module.register_module_parameter_registration_hook(
        lambda owner, name, value: nn.Parameter(value.detach() * 2)
    )
    model.weight = nn.Parameter(torch.ones(1))
    handle.remove()
    assert model.weight.item() == 2


def test_sync_batch_norm_is_batch_norm_in_one_process() -> None:
    torch.manual_seed(0)
    x = torch.randn(4, 3, 5)
    plain = nn.BatchNorm1d(3)
    synchronized = nn.SyncBatchNorm(3)
    torch.testing.assert_close(synchronized(x), plain(x))
    torch.testing.assert_close(synchronized.running_var, plain.running_var)
    model = nn.SyncBatchNorm.convert_sync_batchnorm(nn.Sequential(plain, nn.BatchNorm2d(2).eval()))
    assert isinstance(model[0], nn.SyncBatchNorm) and model[0].weight is plain.weight
    assert not model[1].training
    assert nn.SyncBatchNorm.__module__ == "torch.nn.modules.batchnorm"
    with pytest.raises(ValueError, match="at least 2D input"):
        synchronized(torch.ones(3))


def test_steps_of_vmap_can_be_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    import torch._functorch.vmap as steps

    def mean(x: torch.Tensor, y: float) -> torch.Tensor:
        return (x * y).mean()

    x = torch.arange(6.0).view(2, 3)
    expected = torch.vmap(mean, (1, None))(x, 2.0)
    called = []

    def create(dims: Any, args: Any, level: Any, spec: Any) -> Any:
        called.append(dims)
        batched = [
            a if d is None else steps._add_batch_dim(a, d, level)
            for a, d in zip(args, dims, strict=True)
        ]
        return steps.tree_unflatten(batched, spec)

    monkeypatch.setattr(steps, "_create_batched_inputs", create)
    torch.testing.assert_close(torch.vmap(mean, (1, None))(x, 2.0), expected)
    assert called == [[1, None]]


def test_functorch_has_the_older_names() -> None:
    model = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3))
    x = torch.ones(4, 2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        call, parameters, buffers = functorch.make_functional_with_buffers(model.eval())
        with pytest.raises(ValueError, match="has buffers"):
            functorch.make_functional(model)
        plain, weights = functorch.make_functional(nn.Linear(2, 1))
    torch.testing.assert_close(call(parameters, buffers, x), model(x))
    assert call.stateless_model[0].weight.is_meta and not list(plain.buffers())
    with pytest.warns(FutureWarning, match="use `torch.func.grad` instead"):
        gradients = functorch.grad(lambda w: plain(w, x).sum())(weights)
    assert gradients[1].item() == 4


@pytest.mark.parametrize("shared", [True, False])
def test_files_are_tensors(tmp_path: Path, shared: bool) -> None:
    path = tmp_path / "data"
    path.write_bytes(bytes(8))
    tensor = torch.from_file(str(path), shared=shared, size=2)
    tensor.fill_(1)
    again = torch.from_file(str(path), size=2)
    assert again.tolist() == ([1, 1] if shared else [0, 0]) and tensor.dtype == torch.float32


def test_numpy_of_a_parameter_needs_no_detach_without_gradients() -> None:
    weight = nn.Parameter(torch.ones(2))
    with torch.no_grad():
        assert weight.numpy().tolist() == [1, 1]
    with pytest.raises(RuntimeError, match="requires grad"):
        weight.numpy()


def test_an_exclamation_mark_alone_declares_a_written_argument() -> None:
    with torch.library._scoped_library("surface_names", "DEF") as library:
        library.define("fill(Tensor a, Tensor! out, Tensor(b!) other) -> ()")
        schema = torch.ops.surface_names.fill.default._schema
        assert str(schema).endswith("fill(Tensor a, Tensor($0! -> ) out, Tensor(b!) other) -> ()")
        written = [a.alias_info is not None and a.alias_info.is_write for a in schema.arguments]
        assert written == [False, True, True]


def test_sizes_may_be_one_element_tensors_and_dimensions_may_not() -> None:
    x, one = torch.arange(9.0).view(3, 3), torch.tensor([1])
    assert torch.eye(one).shape == (1, 1) and torch.topk(x, one)[0].shape == (3, 1)
    for call in (torch.cumsum, torch.chunk, torch.softmax, torch.diag):
        call(x, one[0])
        with pytest.raises(TypeError, match="must be int, not Tensor"):
            call(x, one)


@pytest.mark.parametrize(
    "fill", ["normal_", "uniform_", "random_", "bernoulli_", "cauchy_", "log_normal_"]
)
def test_random_numbers_need_an_element_of_memory_each(fill: str) -> None:
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
        getattr(torch.zeros(1, 3).expand(4, 3), fill)()


def test_cholesky_factors_can_be_stored() -> None:
    matrix = torch.tensor([[4.0, 2.0], [2.0, 3.0]])
    factor, info = torch.empty(0), torch.empty(0, dtype=torch.int32)
    torch.linalg.cholesky_ex(matrix, out=(factor, info))
    torch.testing.assert_close(factor @ factor.T, matrix)
    torch.testing.assert_close(torch.linalg.cholesky(matrix, out=torch.empty(2, 2)), factor)
    with pytest.raises(RuntimeError, match="Expected out tensor to have dtype float"):
        torch.linalg.cholesky(matrix, out=torch.empty(2, 2, dtype=torch.int64))


def test_divergences_may_be_registered_for_any_class() -> None:
    from torch.distributions import kl

    class Mine:
        pass

    kl.register_kl(Mine, torch.distributions.Normal)(lambda p, q: torch.zeros(()))
    assert (Mine, torch.distributions.Normal) in kl._KL_REGISTRY
    del kl._KL_REGISTRY[Mine, torch.distributions.Normal]
    with pytest.raises(TypeError, match="Expected type_p"):
        kl.register_kl("Normal", torch.distributions.Normal)


@pytest.mark.parametrize("size", [0, 1, 3])
def test_running_statistics_must_have_one_value_for_each_channel(size: int) -> None:
    x = torch.ones(2, 2, 4)
    with pytest.raises(RuntimeError, match="should contain 2 elements"):
        torch.batch_norm_update_stats(x, torch.zeros(size), torch.ones(2), 0.1)
    with pytest.raises(RuntimeError, match="should contain 2 elements"):
        torch.native_batch_norm(x, None, None, torch.zeros(2), torch.ones(size), True, 0.1, 1e-5)


def test_base_classes_of_layers_that_libraries_register() -> None:
    from torch import nn
    from torch.nn.modules import conv, padding, pooling

    assert isinstance(nn.ReflectionPad3d(1), padding._ReflectionPadNd)
    assert isinstance(nn.ReplicationPad1d(1), padding._ReplicationPadNd)
    assert isinstance(nn.AvgPool3d(2), pooling._AvgPoolNd)
    assert not isinstance(nn.AvgPool3d(2), nn.AvgPool2d)
    assert isinstance(nn.AdaptiveAvgPool1d(2), pooling._AdaptiveAvgPoolNd)
    assert isinstance(nn.AdaptiveMaxPool2d(2), pooling._AdaptiveMaxPoolNd)
    assert isinstance(nn.MaxUnpool1d(2), pooling._MaxUnpoolNd)
    assert issubclass(conv._ConvTransposeMixin, conv._ConvTransposeNd)


def test_first_form_of_vmap() -> None:
    from torch._vmap_internals import _vmap, vmap
    from torch.autograd.functional import _construct_standard_basis_for

    rows = torch.eye(3)
    assert vmap(torch.sum)(rows).equal(torch.ones(3))
    doubled, missing = _vmap(lambda x: (2 * x, None), allow_none_pass_through=True)(rows)
    assert doubled.equal(2 * rows) and missing is None
    with pytest.raises(ValueError, match="must only return Tensors"):
        _vmap(lambda x: (x, None))(rows)
    whole = _construct_standard_basis_for(
        (torch.ones(1), torch.ones(2, dtype=torch.double)), (1, 2)
    )
    assert [part.dtype for part in whole] == [torch.float32, torch.float64]
    assert torch.cat([part.float() for part in whole], 1).equal(rows)


def test_kinds_of_tensors_that_share_data() -> None:
    dense = torch.eye(2)
    assert torch._has_compatible_shallow_copy_type(dense, torch.ones(3))
    assert not torch._has_compatible_shallow_copy_type(dense, dense.to_sparse())


def test_warn_once() -> None:
    from torch._dynamo.utils import warn_once

    with pytest.warns(UserWarning, match="only the first time"):
        warn_once("only the first time")
    warn_once("only the first time")


def test_second_names_of_operators_are_operators() -> None:
    aten = torch.ops.aten
    assert aten.multiply is aten.mul
    assert aten.multiply_ is aten.mul_
    assert aten.concat is aten.cat
    assert aten.multiply(torch.ones(2), 3).tolist() == [3, 3]
    assert not hasattr(aten, "multiply__")
    assert not hasattr(torch.ops.quantized, "multiply")
