"""Parts that this build lacks answer as PyTorch's do when they are off; docs/compatibility.md lists them."""

from __future__ import annotations

import importlib
import importlib.util
import itertools
import pickle
import subprocess
import sys
import warnings
from typing import Any

import pytest

import torch
from torch import nn
from torch.utils.data.distributed import DistributedSampler

OFF = ("mps", "xpu", "mtia", "distributed")
MODULES = [
    *OFF,
    "backends.mkl",
    "backends.mkldnn",
    "backends.mps",
    "backends.nnpack",
    "backends.opt_einsum",
    "backends.quantized",
    "backends.cusparselt",
    "backends.kleidiai",
    "backends.mha",
    "backends.miopen",
    "backends.xnnpack",
    "compiler",
    "cpu",
    "futures",
    "hub",
    "jit",
    "onnx",
    "types",
    "_dynamo",
    "_inductor",
    "utils._pytree",
    "utils.model_zoo",
]


@pytest.mark.parametrize("name", MODULES)
def test_modules_are_attributes_and_can_be_imported(name: str) -> None:
    module = importlib.import_module(f"torch.{name}")
    found: Any = torch
    for part in name.split("."):
        found = getattr(found, part)
    assert found is module


def test_import_of_torch_loads_none_of_them() -> None:
    code = "import sys, torch; print([n for n in sys.modules if n.startswith('torch.')])"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout
    for name in MODULES:
        assert f"'torch.{name}'" not in loaded


def test_every_name_in_dir_can_be_read() -> None:
    for name in dir(torch):
        getattr(torch, name)


@pytest.mark.parametrize("name", ["nothing", "_nothing", "fx", "distributions", "export", "__path"])
def test_unknown_names_are_attribute_errors(name: str) -> None:
    expected = importlib.util.find_spec(f"torch.{name}") is not None
    assert (getattr(torch, name, None) is not None) == expected


def test_a_module_whose_import_fails_is_an_attribute_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(torch, "hub", raising=False)
    monkeypatch.setitem(sys.modules, "torch.hub", None)
    assert not hasattr(torch, "hub")
    assert getattr(torch, "hub", 3) == 3


@pytest.mark.parametrize("device", ["mps", "xpu", "mtia"])
def test_absent_devices_say_so(device: str) -> None:
    module = getattr(torch, device)
    assert module.is_available() is False
    assert module.device_count() == 0
    module.manual_seed(1)
    with pytest.raises((RuntimeError, AssertionError), match=device.upper()):
        module.synchronize()


def test_distributed_is_not_available() -> None:
    distributed = torch.distributed
    assert not distributed.is_available() and not distributed.is_initialized()
    with pytest.raises(ValueError, match="Default process group has not been initialized"):
        distributed.get_rank()
    with pytest.raises(RuntimeError, match="all_reduce needs a build with USE_DISTRIBUTED"):
        distributed.all_reduce(torch.ones(1))
    assert not isinstance(1, distributed.ProcessGroup)
    with pytest.raises(RuntimeError, match="USE_DISTRIBUTED"):
        nn.parallel.DistributedDataParallel(nn.Linear(1, 1))


def test_distributed_sampler_splits_the_samples() -> None:
    parts = [DistributedSampler(range(10), num_replicas=3, rank=rank, seed=4) for rank in range(3)]
    drawn = [index for part in parts for index in part]
    assert len(drawn) == 12 and set(drawn) == set(range(10))
    first = list(parts[0])
    parts[0].set_epoch(1)
    assert list(parts[0]) != first
    dropped = DistributedSampler(range(10), 3, 0, drop_last=True)
    assert len(dropped) == len(list(dropped)) == 3
    with pytest.raises(
        ValueError, match=r"Invalid rank 3, rank should be in the interval \[0, 2\]"
    ):
        DistributedSampler(range(10), 3, 3)
    with pytest.raises(RuntimeError, match="Requires distributed package"):
        DistributedSampler(range(10))


def test_data_parallel_is_the_module() -> None:
    linear = nn.Linear(2, 3)
    parallel = nn.DataParallel(linear)
    x = torch.randn(4, 2)
    assert torch.equal(parallel(x), linear(x))
    assert parallel.module is linear
    with pytest.raises(RuntimeError, match="several accelerators"):
        nn.DataParallel(linear, device_ids=[0, 1])


# ---- torch.jit as with PYTORCH_JIT=0 -------------------------------------------------------------
def double(x: Any) -> Any:
    return 2 * x


def test_jit_leaves_functions_and_modules_as_they_are() -> None:
    linear = nn.Linear(1, 1)
    for mark in (torch.jit.script, torch.jit.export, torch.jit.unused, torch.jit.ignore):
        assert mark(double) is double
    assert torch.jit.script(linear) is linear
    assert torch.jit.script_if_tracing(double) is double
    assert torch.jit.ignore(drop=False)(double) is double
    assert not torch.jit.is_scripting() and not torch.jit.is_tracing()
    assert torch.jit.annotate(list[int], [1]) == [1]


def test_jit_says_what_is_missing() -> None:
    with pytest.raises(NotImplementedError, match="needs a compiler for TorchScript"):
        torch.jit.export_opnames(nn.Linear(1, 1))
    with pytest.raises(NotImplementedError, match=r"save its state_dict\(\) with torch.save"):
        torch.jit.save(nn.Linear(1, 1), "x.pt")


@pytest.mark.parametrize(
    ("value", "kind", "expected"),
    [
        ([1], list[int], True),
        ([1, "a"], list[int], False),
        ({"a": [1]}, dict[str, list[int]], True),
        ((1, "a"), tuple[int, str], True),
        ((1,), tuple[int, str], False),
        (None, int | None, True),
        (1.0, int, False),
        (1, (str, int), True),
    ],
)
def test_jit_isinstance(value: object, kind: Any, expected: bool) -> None:
    assert torch.jit.isinstance(value, kind) is expected


def test_script_modules_are_modules() -> None:
    class Scale(torch.jit.ScriptModule):
        def __init__(self) -> None:
            super().__init__()
            self.weight = nn.Parameter(torch.tensor(3.0))

        @torch.jit.script_method
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.weight * x

    assert Scale()(torch.tensor(2.0)).item() == 6


# ---- torch.compile --------------------------------------------------------------------------------
def test_compile_notes_once_that_it_runs_eagerly() -> None:
    code = (
        "import torch, warnings\n"
        "with warnings.catch_warnings(record=True) as seen:\n"
        "    warnings.simplefilter('always')\n"
        "    for _ in range(2): torch.compile(abs)(-1)\n"
        "    torch.compile(abs, backend='eager')(-1)\n"
        "print(len(seen), seen[0].message, seen[0].filename)"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.stdout.startswith("1 torch.compile: this build has no compiler"), result.stderr
    assert result.stdout.endswith("<string>\n")


def test_compiled_modules_share_parameters_and_attributes() -> None:
    linear = nn.Linear(2, 3)
    compiled = torch.compile(linear, backend="eager")
    x = torch.randn(4, 2)
    assert torch.equal(compiled(x), linear(x))
    assert list(compiled.state_dict()) == ["_orig_mod.weight", "_orig_mod.bias"]
    assert compiled.in_features == 2
    compiled.label = "x"
    assert linear.label == "x"
    compiled.eval()
    assert not linear.training and not compiled.training
    assert isinstance(compiled, torch._dynamo.OptimizedModule)


def test_compile_refuses_what_pytorch_refuses() -> None:
    with pytest.raises(RuntimeError, match="Invalid backend: 'nope'"):
        torch.compile(double, backend="nope")
    with pytest.raises(RuntimeError, match="Either mode or options"):
        torch.compile(double, mode="max-autotune", options={"a": 1})
    assert torch.compile(double, disable=True) is double


def test_compiler_controls_change_nothing() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert torch.compiler.disable(double)(1) == 2
        assert torch.compiler.disable(recursive=False)(double)(1) == 2
        assert torch._dynamo.disable(double)(1) == 2
        with torch.compiler.set_stance("force_eager"):
            assert not torch.compiler.is_compiling()
        torch._dynamo.config.suppress_errors = True
        torch._dynamo.reset()
        torch._dynamo.mark_dynamic(torch.ones(1), 0)


# ---- settings ------------------------------------------------------------------------------------
def test_flags_restore_settings() -> None:
    backend = torch.backends.mkldnn
    with backend.flags(enabled=False):
        assert backend.enabled is False
    assert backend.enabled is True
    with torch.backends.opt_einsum.flags(enabled=False):
        assert torch.backends.opt_einsum.enabled is False
    with pytest.raises(TypeError, match="unexpected keyword"):
        backend.set_flags(_nothing=1)


def test_unknown_layers_raise_attribute_error() -> None:
    with pytest.raises(AttributeError):
        nn.Nothing  # noqa: B018


def test_symbolic_numbers_are_never_made() -> None:
    assert not isinstance(3, torch.SymInt)
    with pytest.raises(RuntimeError, match="no symbolic numbers"):
        torch.SymInt(3)
    assert torch.sym_max(2, 3.0) == 3.0 and isinstance(torch.sym_max(4, 3.0), float)


def test_torch_version_compares_as_a_version() -> None:
    from torch.torch_version import TorchVersion, __version__

    assert __version__ >= "2.13" and __version__ < (3, 0)
    assert torch.__version__ > "2.4" and torch.__version__ >= (2, 8) and torch.__version__ > [2, 8]
    assert isinstance(torch.__version__, TorchVersion) and torch.__version__ != "2.13"
    ordered = "1.0.dev1 1.0a1.dev2 1.0a1 1.0b2 1.0rc1 1.0 1.0+abc 1.0+abc.5 1.0+7 1.0.post1.dev3"
    ordered = [*ordered.split(), "1.0.post1", "1.1.dev1", "1!0.1"]
    assert all(TorchVersion(a) < b for a, b in itertools.pairwise(ordered))
    assert TorchVersion("1.0") == "1" and TorchVersion("v1.0-1") == "1.0.post1"
    assert TorchVersion("abc") > "abb" and hash(TorchVersion("1.2")) == hash("1.2")
    assert pickle.loads(pickle.dumps(TorchVersion("1.2"))) == "1.2"


def test_quantized_dtypes_can_be_named_and_compared() -> None:
    kind = torch.qint8
    assert kind is torch.qint8 and kind != torch.int8 and repr(kind) == "torch.qint8"
    assert pickle.loads(pickle.dumps(kind)) is kind
    with pytest.raises(TypeError, match="dtype"):
        torch.ones(2, dtype=kind)
