"""Programs import these names, import them from these modules, and pickle what they find."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import torch
import torch.nn.functional as F
from torch import nn

PICKLES = Path(__file__).with_name("pickled_names.py")
PEER = os.environ.get("TORCH_PEER")
needs_peer = pytest.mark.skipif(
    not PEER, reason="set TORCH_PEER to a Python that has torch==2.13.0"
)

NAMES = """
torch._VF: rnn_tanh sin
torch._functorch.apis: grad vmap
torch._functorch.eager_transforms: jvp vjp jacfwd
torch._functorch.functional_call: functional_call stack_module_state
torch.functional: F
torch.fx._compatibility: compatibility
torch.fx.experimental.optimization: fuse remove_dropout
torch.fx.passes.infra.pass_base: PassBase PassResult
torch.fx.passes.infra.pass_manager: PassManager
torch.jit._script: RecursiveScriptModule script
torch.multiprocessing.pool: Pool
torch.multiprocessing.queue: Queue
torch.nn: _reduction grad
torch.nn._reduction: get_enum legacy_get_string
torch.nn.functional: _Reduction _canonical_mask _in_projection_packed _verify_batch_size
torch.nn.grad: conv2d_input conv2d_weight
torch.nn.intrinsic: ConvBn2d
torch.nn.modules.activation: MultiheadAttention NonDynamicallyQuantizableLinear
torch.nn.modules.conv: _ConvNd _ConvTransposeNd
torch.nn.modules.flatten: Flatten Unflatten
torch.nn.modules.instancenorm: InstanceNorm2d _InstanceNorm
torch.nn.modules.module: _addindent
torch.nn.modules.pixelshuffle: PixelShuffle
torch.nn.modules.transformer: _generate_square_subsequent_mask _get_activation_fn _get_clones
torch.nn.modules.upsampling: Upsample
torch.nn.quantized: Linear
torch.nn.parallel.parallel_apply: parallel_apply
torch.nn.parallel.replicate: replicate
torch.nn.parallel.scatter_gather: gather scatter scatter_kwargs
torch.optim.lbfgs: LBFGS _cubic_interpolate _strong_wolfe
torch.optim.lr_scheduler: EPOCH_DEPRECATION_WARNING _LRScheduler _enable_get_lr_call
torch.optim.optimizer: _default_to_fused_or_foreach _get_value _use_grad_for_differentiable
torch.quantization: QuantStub quantize_dynamic
torch.serialization: normalize_storage_type
torch.sparse._triton_ops: broadcast_batch_dims bsr_dense_addmm tile_to_blocksize
torch.sparse._triton_ops_meta: get_meta minimize update
torch.utils._device: CURRENT_DEVICE DeviceContext set_device
torch.utils._foreach_utils: _group_tensors_by_device_and_dtype
torch.utils._ordered_set: OrderedSet
torch.utils._triton: has_triton
torch.utils.cpp_extension: LIB_EXT _get_build_directory
torch.utils.data._utils: HAS_NUMPY MP_STATUS_CHECK_INTERVAL python_exit_status signal_handling
torch.utils.data._utils.fetch: _BaseDatasetFetcher _IterableDatasetFetcher _MapDatasetFetcher
torch.utils.data._utils.pin_memory: _pin_memory_loop pin_memory
torch.utils.data._utils.worker: ManagerWatchdog WorkerInfo _ResumeIteration _worker_info
torch.utils.data.backward_compatibility: worker_init_fn
torch.utils.data.dataloader: _sharding_worker_init_fn get_worker_info
torch.utils.data.datapipes.datapipe: _IterDataPipeSerializationWrapper
torch.utils.data.graph: traverse_dps
torch.utils.data.graph_settings: apply_random_seed apply_sharding get_all_graph_pipes
"""


@pytest.mark.parametrize("line", NAMES.strip().splitlines())
def test_names_can_be_imported(line: str) -> None:
    name, _, names = line.partition(": ")
    module = importlib.import_module(name)
    assert [n for n in names.split() if not hasattr(module, n)] == []


def test_a_name_is_the_same_object_in_all_its_modules() -> None:
    from torch._functorch.apis import vmap
    from torch.multiprocessing.pool import Pool
    from torch.nn.modules.activation import MultiheadAttention

    assert vmap is torch.func.vmap
    assert Pool is torch.multiprocessing.Pool
    assert MultiheadAttention is nn.MultiheadAttention
    assert F._Reduction.get_enum("mean") == 1


@pytest.mark.parametrize("spatial", [1, 2, 3])
def test_gradients_of_convolutions(spatial: int) -> None:
    torch.manual_seed(0)
    x = torch.randn(2, 4, *[7] * spatial, requires_grad=True)
    w = torch.randn(6, 2, *[3] * spatial, requires_grad=True)
    how = {"stride": 2, "padding": 1, "groups": 2}
    y = getattr(F, f"conv{spatial}d")(x, w, **how)
    g = torch.randn_like(y)
    expected = torch.autograd.grad(y, (x, w), g)
    of_input = getattr(torch.nn.grad, f"conv{spatial}d_input")(x.shape, w, g, **how)
    of_weight = getattr(torch.nn.grad, f"conv{spatial}d_weight")(x, w.shape, g, **how)
    torch.testing.assert_close((of_input, of_weight), expected)


def test_a_line_search_ends_where_the_strong_wolfe_conditions_hold() -> None:
    from torch.optim.lbfgs import _cubic_interpolate, _strong_wolfe

    def objective(x: torch.Tensor, t: float, d: torch.Tensor) -> tuple[float, torch.Tensor]:
        at = x + t * d
        return float((at**4 - 3 * at**2 + at).sum()), 4 * at**3 - 6 * at + 1

    x, d = torch.tensor([0.5, 0.1]), torch.tensor([1.0, 2.0])
    loss, gradient = objective(x, 0.0, d)
    slope = gradient.dot(d)
    found, at, t, calls = _strong_wolfe(objective, x, 0.05, d, loss, gradient, slope, c2=0.1)
    assert calls > 1 and (found, at.tolist()) == (
        objective(x, t, d)[0],
        objective(x, t, d)[1].tolist(),
    )
    assert found <= loss + 1e-4 * t * float(slope)
    assert abs(float(at.dot(d))) <= -0.1 * float(slope)
    slopes = torch.tensor(-3.0), torch.tensor(1.0)
    assert float(_cubic_interpolate(0, 2.0, slopes[0], 1, 1.0, slopes[1])) == 0.75
    assert _cubic_interpolate(0, 2.0, -3.0, 1, 1.0, 1.0, bounds=(0.0, 0.5)) == 0.5


def test_settings_of_kernels_are_stored_by_device_and_version() -> None:
    from torch.sparse._triton_ops_meta import get_meta, minimize, update

    version = (0, torch.float16, 0.25)
    update("bsr_dense_addmm", "a GPU", version, (64, 32, 16, True), (4, 1, 3, 2))
    settings = {"GROUP_SIZE_ROW": 4, "SPLIT_N": 1, "num_stages": 3, "num_warps": 2}
    assert get_meta("bsr_dense_addmm", (64, 32, 16, True), "a GPU", version) == settings
    assert get_meta("bsr_dense_addmm", (64, 32, 17, True), "a GPU", version) is None
    assert get_meta("bsr_dense_addmm", (64, 32, "*", True), "a GPU", version) == {
        (64, 32, 16, True): settings
    }
    assert get_meta("bsr_dense_addmm", (64, 32, 16, True), "another", version, exact=True) is None

    def step(name: str, value: int, direction: int, settings: dict[str, int]) -> int:
        return min(max(value + direction, 0), 9)

    found, speedup, time, _ = minimize(
        lambda p: (p["a"] - 5) ** 2 + (p["b"] - 2) ** 2 + 1.0,
        {"a": 1, "b": 1},
        {"a": 1, "b": 1},
        step,
    )
    assert (found, time) == ({"a": 5, "b": 2}, 1.0) and speedup > 0


def test_tensors_are_grouped_by_dtype() -> None:
    from torch.utils._foreach_utils import _group_tensors_by_device_and_dtype

    a, b, c = torch.ones(1), torch.ones(1, dtype=torch.int64), torch.zeros(2)
    groups = _group_tensors_by_device_and_dtype([[a, b, c], [c, None, a]], with_indices=True)
    cpu = torch.device("cpu")
    assert list(groups) == [(cpu, torch.float32), (cpu, torch.int64)]
    (lists, indices) = groups[cpu, torch.float32]
    assert lists[0][0] is a and lists[1][0] is c and indices == [0, 2]


def test_passes_run_in_an_order_that_fulfils_the_constraints() -> None:
    from torch.fx.passes.infra.pass_base import PassResult
    from torch.fx.passes.infra.pass_manager import PassManager, this_before_that_pass_constraint

    ran: list[str] = []

    def first(module: Any) -> PassResult:
        ran.append("first")
        return PassResult(module, len(ran) < 3)

    def second(module: Any) -> PassResult:
        ran.append("second")
        return PassResult(module, False)

    manager = PassManager([second, first], [this_before_that_pass_constraint(first, second)], 5)
    result = manager(torch.fx.symbolic_trace(nn.ReLU()))
    assert ran == ["first", "second"] * 2 and result.modified
    manager.add_constraint(this_before_that_pass_constraint(second, first))
    with pytest.raises(RuntimeError, match="Circular dependency"):
        manager.solve_constraints()


def test_fused_networks_compute_the_same() -> None:
    from torch.fx.experimental.optimization import fuse, remove_dropout

    torch.manual_seed(0)
    network = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.Dropout(), nn.ReLU())
    network(torch.randn(8, 3, 5, 5))
    network.eval()
    x = torch.randn(2, 3, 5, 5)
    fused = remove_dropout(fuse(network))
    assert [type(m).__name__ for m in fused.children()] == ["Conv2d", "ReLU"]
    torch.testing.assert_close(fused(x), network(x))


def test_the_environment_is_described() -> None:
    command = [sys.executable, "-m", "torch.utils.collect_env"]
    report = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert f"PyTorch version: {torch.__version__}" in report
    assert "\nCPU: " in report and "[pip3] numpy==" in report


def pickles(python: str, *arguments: str) -> str:
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    command = [python, str(PICKLES), *arguments]
    return subprocess.run(
        command, check=True, env=environment, capture_output=True, text=True
    ).stdout


def test_public_functions_and_classes_can_be_pickled(tmp_path: Path) -> None:
    file = str(tmp_path / "names.pickle")
    assert pickles(sys.executable, "save", file).split() == [
        "torch.distributions.biject_to",
        "torch.distributions.transform_to",
    ]
    assert pickles(sys.executable, "load", file) == ""


@needs_peer
@pytest.mark.peer
def test_pytorch_finds_what_is_pickled_here(tmp_path: Path) -> None:
    assert PEER
    file = str(tmp_path / "names.pickle")
    pickles(sys.executable, "save", file)
    unknown = pickles(PEER, "load", file).split()
    assert unknown == ["torch.utils.data.functional_datapipe"]


def layers() -> dict[str, tuple[nn.Module, torch.Tensor]]:
    torch.manual_seed(0)
    sequence, image = torch.randn(2, 5, 8), torch.randn(1, 8, 4, 4)
    made = {
        "attention": (nn.TransformerEncoderLayer(8, 2, 16, activation="gelu"), sequence),
        "encoder": (
            nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), 2),
            sequence,
        ),
        "lstm": (nn.LSTM(8, 3, 2, bidirectional=True), sequence),
        "gru": (nn.GRU(8, 3, batch_first=True), sequence),
        "shapes": (
            nn.Sequential(nn.PixelShuffle(2), nn.Upsample(scale_factor=2), nn.Flatten()),
            image,
        ),
        "norms": (nn.Sequential(nn.InstanceNorm2d(8, affine=True), nn.BatchNorm2d(8)), image),
        "convolutions": (nn.Sequential(nn.Conv2d(8, 4, 3), nn.ConvTranspose2d(4, 2, 3)), image),
    }
    return {name: (layer.eval(), x) for name, (layer, x) in made.items()}


@pytest.mark.parametrize("name", layers())
def test_whole_layers_are_saved_and_loaded(name: str, tmp_path: Path) -> None:
    layer, x = layers()[name]
    torch.save(layer, tmp_path / "layer.pt")
    loaded = torch.load(tmp_path / "layer.pt", weights_only=False)
    torch.testing.assert_close(loaded(x), layer(x))
    assert repr(loaded) == repr(layer)
    assert loaded.state_dict().keys() == layer.state_dict().keys()


RUN = """
import sys, torch
for name in sys.argv[1:]:
    layer, x, expected = torch.load(name, weights_only=False)
    torch.testing.assert_close(layer(x), expected, rtol=1e-4, atol=1e-5)
    torch.save((layer, x, expected), name)
"""


@needs_peer
@pytest.mark.peer
def test_whole_layers_are_exchanged_with_pytorch(tmp_path: Path) -> None:
    assert PEER
    files = []
    for name, (layer, x) in layers().items():
        files.append(str(tmp_path / f"{name}.pt"))
        torch.save((layer, x, layer(x)), files[-1])
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    for python in (
        PEER,
        sys.executable,
    ):  # PyTorch runs our layers, and we run the ones that it saves
        subprocess.run([python, "-c", RUN, *files], check=True, env=environment, cwd=tmp_path)


@pytest.mark.parametrize(
    "name",
    ["__future__", "package.PackageExporter", "quantization.quantize_dynamic", "utils.collect_env"],
)
def test_attributes_need_no_import_of_their_own(name: str) -> None:
    program = f"import torch; torch.{name}"
    subprocess.run([sys.executable, "-c", program], check=True)
