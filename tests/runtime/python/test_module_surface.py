"""The module's contents other than operators: settings, enumerations, streams, and their stubs."""

from __future__ import annotations

import ast
import pickle
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import torch
import torch.backends.cuda
from torch import _C


@pytest.fixture
def settings() -> Iterator[None]:
    """Restores the settings that a test changes."""
    yield
    torch.use_deterministic_algorithms(False)
    torch.set_float32_matmul_precision("highest")
    torch.set_warn_always(False)
    torch.set_flush_denormal(False)


@pytest.mark.usefixtures("settings")
@pytest.mark.parametrize(("word", "number"), [("warn", 1), ("error", 2), ("default", 0)])
def test_deterministic_debug_mode_by_name_and_number(word: str, number: int) -> None:
    for mode in (word, number):
        torch.set_deterministic_debug_mode(mode)
        assert torch.get_deterministic_debug_mode() == number
        assert torch.are_deterministic_algorithms_enabled() == (number > 0)
        assert torch.is_deterministic_algorithms_warn_only_enabled() == (number == 1)


@pytest.mark.parametrize(
    ("call", "argument", "error", "message"),
    [
        (torch.use_deterministic_algorithms, 1, TypeError, "argument 'mode' .position 1. must be"),
        (torch.set_deterministic_debug_mode, "x", RuntimeError, "expected one of `default`"),
        (torch.set_deterministic_debug_mode, 7, RuntimeError, "expected 0, 1, or 2, but got 7"),
        (torch.set_deterministic_debug_mode, None, TypeError, "must be str or int"),
        (torch.set_float32_matmul_precision, 3, RuntimeError, "expects a str, but got int"),
        (torch.set_flush_denormal, 1, RuntimeError, "expects a bool, but got int"),
        (torch.set_warn_always, 1, RuntimeError, "expects a bool, but got int"),
    ],
)
def test_wrong_settings_are_refused(
    call: Any, argument: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        call(argument)


@pytest.mark.usefixtures("settings")
def test_precision_of_products() -> None:
    for precision in ("medium", "high", "highest"):
        torch.set_float32_matmul_precision(precision)
        assert torch.get_float32_matmul_precision() == precision
    with pytest.warns(UserWarning, match="^x is not one of 'highest', 'high', or 'medium'"):
        torch.set_float32_matmul_precision("x")
    assert torch.get_float32_matmul_precision() == "highest"


@pytest.mark.usefixtures("settings")
def test_denormals_are_flushed_on_demand() -> None:
    tiny = torch.tensor([1e-323], dtype=torch.float64)
    assert (tiny * 1).item() == 1e-323
    assert torch.set_flush_denormal(True) and (tiny * 1).item() == 0
    assert torch.set_flush_denormal(False) and (tiny * 1).item() == 1e-323


def test_linalg_backends() -> None:
    backends = _C._LinalgBackend
    assert {member.name: member.value for member in backends} == {
        "Default": 0,
        "Cusolver": 1,
        "Magma": 2,
    }
    assert pickle.loads(pickle.dumps(backends.Magma)) is backends.Magma
    preferred = torch.backends.cuda.preferred_linalg_library
    assert preferred() is preferred("default") is preferred(backends.Default) is backends.Default
    for name, library in (("cusolver", "cuSOLVER"), ("magma", "MAGMA")):
        with pytest.raises(RuntimeError, match=f"if PyTorch has not been compiled with {library}"):
            preferred(name)
    assert preferred() is backends.Default
    for wrong, message in (("x", "Choose from: default, cusolver, magma"), (3, "value type")):
        with pytest.raises(RuntimeError, match=message):
            preferred(wrong)
    with pytest.raises(TypeError, match=r"expected a member of <enum '_LinalgBackend'>.* got int"):
        _C._set_linalg_preferred_backend(1)


def test_streams_of_devices_without_queues() -> None:
    stream = torch.Stream()
    assert stream == torch.Stream("cpu") == torch.Stream(device=torch.device("cpu"), priority=1)
    assert hash(stream) == hash(torch.Stream())
    assert stream != torch.Stream("meta") and stream != "cpu"
    assert repr(stream) == "torch.Stream device_type=cpu, device_index=-1, stream_id=0"
    assert stream.query() and stream.synchronize() is None
    with stream as entered:
        assert entered is stream
    other = torch.Stream(stream_id=3, device_index=0, device_type=0)
    assert (other.stream_id, other.device_index, other.device_type) == (3, 0, 0)
    assert other.device == torch.device("cpu:0") and other != stream
    with pytest.raises(RuntimeError, match="cpu backend doesn't support events"):
        stream.wait_stream(other)
    with pytest.raises(RuntimeError, match="not linked with support for cuda devices"):
        torch.Stream("cuda")
    with pytest.raises(TypeError):
        torch.Stream("cpu", 1)


def test_every_namespace_of_operators_is_a_module() -> None:
    for name in ("_nn", "_fft", "_linalg", "_nested", "_sparse", "_special"):
        assert getattr(_C, name).__name__ == f"torch._C.{name}"


def test_numbers_of_onnx() -> None:
    types = _C._onnx.TensorProtoDataType
    assert [types(n).name for n in (1, 7, 9, 11, 16)] == [
        "FLOAT",
        "INT64",
        "BOOL",
        "DOUBLE",
        "BFLOAT16",
    ]
    assert [mode.name for mode in _C._onnx.TrainingMode] == ["EVAL", "PRESERVE", "TRAINING"]
    assert torch.__version__ == _C._onnx.PRODUCER_VERSION


@pytest.mark.parametrize(
    ("fault", "report"),
    [
        (signal.SIGBUS, "bus error encountered in worker. This might be caused by insufficient"),
        (signal.SIGSEGV, "segmentation fault encountered in worker"),
        (signal.SIGFPE, "floating-point exception encountered in worker"),
    ],
)
def test_a_crashing_worker_reports_its_fault(fault: signal.Signals, report: str) -> None:
    code = (
        "import os, sys, torch\n"
        "torch._C._set_worker_signal_handlers()\n"
        "os.kill(os.getpid(), int(sys.argv[1]))\n"
    )
    command = [sys.executable, "-c", code, str(int(fault))]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == -fault and report in result.stderr


def test_names_of_threads() -> None:
    before = _C._get_thread_name()
    _C._set_thread_name("a name of which Linux keeps a part")
    assert _C._get_thread_name() == "a name of which"
    assert Path("/proc/thread-self/comm").read_text() == "a name of which\n"
    _C._set_thread_name(before)
    with pytest.raises(TypeError, match="expects a str, but got int"):
        _C._set_thread_name(3)


def names_of_stub(path: Path) -> set[str]:
    """Return the names that a type stub declares at its top level."""
    names: set[str] = set()
    for node in ast.parse(path.read_text()).body:
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                names.add(name)
            case ast.AnnAssign(target=ast.Name(id=name)):
                names.add(name)
            case ast.Assign(targets=[ast.Name(id=name)]):
                names.add(name)
    return names


def test_the_stub_declares_the_contents_of_the_module() -> None:
    folder = Path(torch.__file__).parent / "_C"
    real = {name for name in dir(_C) if not name.startswith("__")}
    submodules = {path.stem for path in folder.glob("*.pyi")}
    submodules |= {path.stem for path in (folder.parent / "_bindings").glob("*.py")}
    assert real - names_of_stub(folder / "__init__.pyi") - submodules == set()


@pytest.mark.parametrize(
    "name", ["StorageBase", "Generator", "Stream", "device", "_FunctionBase", "_ImperativeEngine"]
)
def test_the_stub_of_a_class_declares_its_members(name: str) -> None:
    text = (Path(torch.__file__).parent / "_C" / "__init__.pyi").read_text()
    (stub,) = (n for n in ast.parse(text).body if isinstance(n, ast.ClassDef) and n.name == name)
    declared = {n.name for n in stub.body if isinstance(n, ast.FunctionDef)}
    declared |= {n.target.id for n in stub.body if isinstance(n, ast.AnnAssign)}  # type: ignore[union-attr]
    real = {n for n in vars(getattr(_C, name)) if not n.startswith("__")}
    assert real - declared == set()
    assert {n for n in declared if not n.startswith("__")} - set(dir(getattr(_C, name))) == set()


def test_every_name_in_dir_of_torch_is_an_attribute() -> None:
    for name in dir(torch):
        getattr(torch, name)


def test_enumerations_are_made_when_they_are_first_used() -> None:
    program = (
        "import sys; before = set(sys.modules); import torch; "
        "assert 'enum' not in set(sys.modules) - before; "
        "print(torch._C._monitor.SUM, torch._C._ConvBackend.Slow2d, hasattr(torch._C, 'absent'))"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert run.stdout == "Aggregation.SUM _ConvBackend.Slow2d False\n", run.stderr
