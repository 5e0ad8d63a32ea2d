"""Names that start with an underscore, which libraries use: they behave as PyTorch's do."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import torch
import torch.nn.functional as F
from torch import nn
from torch.optim.lr_scheduler import LRScheduler, _enable_get_lr_call
from torch.serialization import normalize_storage_type
from torch.utils import cpp_extension
from torch.utils._contextlib import context_decorator
from torch.utils._device import DeviceContext, _device_constructors, set_device
from torch.utils._ordered_set import OrderedSet


def test_ordered_sets_keep_the_order() -> None:
    first, second = OrderedSet([3, 1, 3, 2]), OrderedSet([2, 5])
    results = (first | second, first & second, first - second, first ^ second)
    assert [list(result) for result in results] == [[3, 1, 2, 5], [2], [3, 1], [3, 1, 5]]
    assert first.pop() == 2 and repr(first) == "OrderedSet([3, 1])"
    assert list(reversed(first)) == [1, 3] and first == {1, 3}
    assert first < OrderedSet([1, 3, 2]) and first.issubset([1, 3]) and first.issuperset([3])
    first.update([4], [1, 6])
    first.difference_update([3])
    assert list(copy.deepcopy(first)) == list(pickle.loads(pickle.dumps(first))) == [1, 4, 6]
    first.intersection_update([6, 1])
    first.symmetric_difference_update([6, 9])
    assert list(first.copy()) == [1, 9]
    with pytest.raises(KeyError):
        OrderedSet().pop()


def test_a_device_as_a_mode() -> None:
    with DeviceContext("meta") as mode:
        assert torch.utils._device.CURRENT_DEVICE == mode.device == torch.device("meta")
        made = (torch.tensor([1]), torch.arange(3), nn.Linear(2, 2).weight, torch.fft.fftfreq(4))
        assert {tensor.device.type for tensor in made} == {"meta"}
        assert torch.zeros(2, device="cpu").device.type == "cpu"
    assert torch.utils._device.CURRENT_DEVICE is None
    assert torch.ones(1).device.type == set_device("cpu")(torch.ones)(1).device.type == "cpu"
    assert {torch.tensor, torch.randn, torch.full} <= _device_constructors()


def test_projections_of_attention() -> None:
    torch.manual_seed(0)
    q, k, v = torch.rand(2, 4), torch.rand(3, 5), torch.rand(3, 6)
    weights = torch.rand(4, 4), torch.rand(4, 5), torch.rand(4, 6)
    bias = torch.rand(4)
    projected = F._in_projection(q, k, v, *weights, bias)
    expected = (F.linear(q, weights[0], bias), k @ weights[1].T, v @ weights[2].T)
    for ours, theirs in zip(projected, expected, strict=True):
        torch.testing.assert_close(ours, theirs)
    with pytest.raises(AssertionError, match=r"expecting key weights shape of \(4, 5\)"):
        F._in_projection(q, k, v, weights[0], weights[0], weights[2])
    with pytest.raises(AssertionError, match=r"expecting value bias shape of \(4,\)"):
        F._in_projection(q, k, v, *weights, b_v=torch.rand(3))
    packed = F._in_projection_packed(q, q, q, torch.cat([weights[0]] * 3))
    assert all(part.equal(packed[0]) for part in packed)


def test_checks_of_attention() -> None:
    batched, single = torch.rand(2, 3, 4), torch.rand(3, 4)
    assert F._mha_shape_check(batched, batched, batched, None, None, 2)
    assert not F._mha_shape_check(single, single, single, None, None, 2)
    with pytest.raises(AssertionError, match="unbatched 2D or batched 3D"):
        F._mha_shape_check(torch.rand(4), single, single, None, None, 2)
    F._check_key_padding_mask(torch.zeros(2, 3), 3, 2)
    with pytest.raises(AssertionError, match="to be 2, but got 3"):
        F._check_key_padding_mask(torch.zeros(2, 3), 2, 2)
    assert F._none_or_dtype(None) is None and F._none_or_dtype(single) == torch.float32
    with pytest.raises(RuntimeError, match=r"must be None or torch\.Tensor"):
        F._none_or_dtype(3)
    F._verify_batch_size([2, 3, 1])
    with pytest.raises(ValueError, match="more than 1 value per channel"):
        F._verify_batch_size([1, 3, 1])


def test_a_scheduler_of_a_library() -> None:
    class Halved(LRScheduler):
        def get_lr(self) -> list[float]:
            self._warn_outside_step()
            return [base * 0.5**self.last_epoch for base in self.base_lrs]

    scheduler = Halved(torch.optim.SGD([torch.zeros(1, requires_grad=True)], 1.0))
    with _enable_get_lr_call(scheduler):
        assert scheduler.get_lr() == [1.0]  # no warning
    with pytest.warns(UserWarning, match="get_last_lr"):
        scheduler.get_lr()


def test_a_replica_has_no_parameters_of_its_own() -> None:
    model = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
    replica = model._replicate_for_data_parallel()
    assert type(replica) is nn.Sequential and replica[0] is model[0] and replica._is_replica
    assert replica._modules is not model._modules
    layer = model[1]._replicate_for_data_parallel()
    assert not list(layer.parameters()) and layer._buffers == model[1]._buffers
    assert layer._buffers is not model[1]._buffers and len(list(model[1].parameters())) == 2


def test_a_replaced_call_sees_the_calls_of_a_module() -> None:
    layer, seen = nn.Linear(1, 1), []
    original = layer._call_impl

    def noticed(*args: torch.Tensor) -> torch.Tensor:
        seen.append("call")
        return original(*args)

    layer._call_impl = noticed
    layer.register_forward_hook(lambda *_: seen.append("hook"))
    assert nn.Sequential(layer)(torch.ones(1)).shape == (1,) and seen == ["call", "hook"]
    del layer._call_impl
    layer(torch.ones(1))
    assert seen == ["call", "hook", "hook"]


def test_settings_of_sharding_are_values() -> None:
    from torch.distributed import fsdp
    from torch.distributed.fsdp.api import ShardingStrategy

    assert fsdp.ShardingStrategy is ShardingStrategy
    assert [strategy.name for strategy in ShardingStrategy][:2] == ["FULL_SHARD", "SHARD_GRAD_OP"]
    assert fsdp.BackwardPrefetch["BACKWARD_POST"].value == 2
    mixed = fsdp.MixedPrecision(param_dtype=torch.bfloat16)
    assert pickle.loads(pickle.dumps(mixed)) == mixed and mixed.cast_root_forward_inputs
    assert fsdp.MixedPrecisionPolicy().cast_forward_inputs and fsdp.CPUOffloadPolicy().pin_memory
    assert fsdp.FullStateDictConfig(rank0_only=True).offload_to_cpu is False
    from torch.distributed._composable_state import _get_module_state

    assert _get_module_state(nn.Linear(1, 1)) is None
    with pytest.raises(RuntimeError, match="needs a build with USE_DISTRIBUTED"):
        fsdp.FullyShardedDataParallel(nn.Linear(1, 1))


def test_blocks_of_compiled_backward_passes_run() -> None:
    from torch._dynamo.utils import maybe_enable_compiled_autograd

    x = torch.ones(2, requires_grad=True)
    with maybe_enable_compiled_autograd(True, fullgraph=True):
        (x * 2).sum().backward()
    assert x.grad.tolist() == [2, 2]


def test_vitals_are_deprecated() -> None:
    with pytest.warns(UserWarning, match="'set_vital' is deprecated"):
        assert torch.set_vital("Dataloader", "enabled", "True") is None


def test_storages_and_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert normalize_storage_type(torch.FloatStorage) is torch.FloatStorage
    assert normalize_storage_type(torch.UntypedStorage) is torch.UntypedStorage
    monkeypatch.setenv("TORCH_EXTENSIONS_DIR", str(tmp_path))
    folder = Path(cpp_extension._get_build_directory("some_extension", verbose=False))
    assert folder.is_dir() and folder.name == "some_extension" and tmp_path in folder.parents
    assert cpp_extension.LIB_EXT == ".so"


@pytest.mark.parametrize("layer", [nn.RNN, nn.LSTM, nn.GRU])
def test_sizes_of_recurrent_layers_are_numbers_of_python(layer: type) -> None:
    import numpy

    with pytest.raises(TypeError, match="input_size should be of type int, got: int64"):
        layer(numpy.int64(3), 4)
    with pytest.raises(ValueError, match="input_size must be greater than zero"):
        layer(0, 4)
    with pytest.raises(TypeError, match="hidden_size should be of type int, got: float"):
        layer(3, 4.0)


def test_short_names_of_dtypes() -> None:
    from torch.utils._dtype_abbrs import dtype_abbrs

    expected = {"float32": "f32", "bfloat16": "bf16", "float8_e5m2": "f8e5m2", "int64": "i64"}
    expected |= {"bool": "b8", "complex64": "c64", "uint8": "u8"}
    assert {name: dtype_abbrs[getattr(torch, name)] for name in expected} == expected


def test_operators_can_be_called_without_modes() -> None:
    from torch.utils._mode_utils import all_same_mode, no_dispatch
    from torch.utils._python_dispatch import TorchDispatchMode

    class Refusing(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):  # type: ignore[no-untyped-def]
            raise RuntimeError("refused")

    with Refusing(), no_dispatch():
        assert torch.ones(1).add(1).tolist() == [2]
    assert all_same_mode([1, 1]) and not all_same_mode([1, 2])


def test_back_ends_that_this_build_lacks_have_no_versions() -> None:
    assert torch.version.xpu is None and torch.version.rocm is None


def test_settings_of_cudnn_can_be_frozen() -> None:
    code = """
import torch
assert not torch.backends.flags_frozen()
torch.backends.disable_global_flags()
assert torch.backends.flags_frozen()
with torch.backends.cudnn.flags(benchmark=True):
    assert torch.backends.cudnn.benchmark
torch.backends.cudnn.benchmark = True
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "not allowed to set torch.backends.cudnn flags after disable_global_flags" in run.stderr


def test_decorated_generators_run_in_the_context() -> None:
    def devices() -> Iterator[str]:
        yield torch.empty(1).device.type
        yield torch.empty(1).device.type

    outside = [torch.empty(1).device.type for _ in set_device("meta")(devices)()]
    assert list(set_device("meta")(devices)()) == ["meta", "meta"] and outside == ["cpu", "cpu"]

    class Context:
        entered = 0

        def __enter__(self) -> None:
            type(self).entered += 1

        def __exit__(self, *error: object) -> None:
            pass

    class Called(Context):
        def __call__(self) -> None:
            pass

    assert context_decorator(Context(), lambda x: x + 1)(1) == 2 and Context.entered == 1
    assert list(context_decorator(lambda: Context(), lambda: iter([1]))()) == [1]
    with pytest.raises(RuntimeError, match="Cannot decorate classes"):
        context_decorator(Context(), Context)
    with pytest.raises(AssertionError, match="is both callable and also a valid context manager"):
        context_decorator(Called(), devices)
