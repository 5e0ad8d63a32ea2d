"""TorchScript archives: programs of PyTorch run here, traces from here run there, and no file runs other code."""

from __future__ import annotations

import copy
import functools
import io
import os
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="the package is not built: python setup.py develop")

from torch import Tensor, nn  # noqa: E402
from torch.jit._torchscript._objects import new_object  # noqa: E402
from torch.jit._torchscript._program import Program  # noqa: E402
from torch.nn import functional as F  # noqa: E402

PEER = os.environ.get("TORCH_PEER")
needs_peer = pytest.mark.skipif(
    not PEER, reason="set TORCH_PEER to a Python that has torch==2.13.0"
)
SCRIPT = Path(__file__).with_name("torchscript_programs.py")


def run_peer(command: str, folder: Path) -> None:
    """Run the script of programs with PyTorch."""
    done = subprocess.run(
        [str(PEER), "-W", "ignore", SCRIPT, command, folder],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


# ---- programs of PyTorch -------------------------------------------------------------------------
@needs_peer
@pytest.mark.peer
def test_programs_of_pytorch_run_here_and_are_saved_for_pytorch(tmp_path: Path) -> None:
    again = tmp_path / "again"
    again.mkdir()
    run_peer("write", tmp_path)
    archives = sorted(tmp_path.glob("*.pt"))
    assert len(archives) == 12
    for archive in archives:
        expected = torch.load(archive.with_suffix(".expected"))
        module = torch.jit.load(archive)
        torch.testing.assert_close(dict(module.state_dict()), expected["state"], rtol=0, atol=0)
        module.save(again / archive.name, _extra_files={"note.txt": "a note"})
        (again / archive.with_suffix(".expected").name).write_bytes(
            archive.with_suffix(".expected").read_bytes()
        )
        with torch.no_grad():
            found = plain(module(*expected["arguments"]))
        note = functools.partial("{}: {}".format, archive.name)
        torch.testing.assert_close(found, expected["result"], msg=note)
    run_peer("check", again)
    assert torch.jit.load(tmp_path / "control_flow.pt").squares(3) == [0, 1, 4, 1, 2]
    with pytest.raises(torch.jit.Error, match="ValueError: too many items: 6"):
        torch.jit.load(tmp_path / "control_flow.pt")(torch.ones(2, 4), [torch.ones(2, 4)] * 6)


def plain(value: Any) -> Any:
    """Named tuples as tuples."""
    if isinstance(value, tuple):
        return tuple(plain(each) for each in value)
    return [plain(each) for each in value] if isinstance(value, list) else value


# ---- the language --------------------------------------------------------------------------------
def run(body: str, *arguments: Any, parameters: str = "x: Tensor", before: str = "") -> Any:
    """Run the statements of a function of a program."""
    lines = "".join(f"  {line}\n" for line in body.splitlines())
    text = f"{before}def f({parameters}) -> Any:\n{lines}"
    program = Program({"__torch__.py": text}, (torch.tensor(5.0),), 10)
    return program.resolve("__torch__.f")(*arguments)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("return torch.add(2, 3)", 5),
        ("return torch.div(7, 2)", 3.5),
        ("return torch.floordiv(-7, 2)", -4),
        ("return torch.remainder(-7, 4)", 1),
        ("return torch.pow(2, 3)", 8.0),
        ("return torch.add([1], [2])", [1, 2]),
        ("return torch.slice([1, 2, 3, 4], 1, None, 2)", [2, 4]),
        ('return torch.format("{}-{}", 1, "a")', "1-a"),
        ('return torch.upper(torch.add("a", "b"))', "AB"),
        ("return annotate(int, torch.size(x, 1))", 3),
        ("return annotate(int, torch.sum(x))", 6),
        ("return annotate(List[float], x.tolist())", [[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]]),
        ("return isinstance(x, [List[int], Tensor])", True),
        ("return isinstance([1], List[str])", False),
        ("return ops.prim.dtype(x)", 6),
        ("return torch.zeros([1], dtype=4).dtype_is_gone", AttributeError),
        ("return torch.eq(inf, float('inf'))", True),
        ("y = uninitialized(int)\nif True:\n  y = 1\nelse:\n  pass\nreturn y", 1),
        ("a, b, = torch.max(x, 1)\nreturn torch.item(torch.sum(b))", 0),
        (
            "d = annotate(Dict[str, int], {})\ntorch._set_item(d, 'a', 1)\nreturn torch.items(d)",
            [("a", 1)],
        ),
        ("n = 0\nfor i in range(4):\n  n = torch.add(n, i)\nreturn n", 6),
        ("n = 0\ngo = True\nwhile go:\n  n, go = torch.add(n, 1), torch.lt(n, 4)\nreturn n", 5),
        ("return torch.item(torch.mul(CONSTANTS.c0, 2))", 10.0),
        ("return torch.item(torch.sum(x, dtype=4))", 6),
        ("return (__torch__.Pair(1, 2)).second", 2),
        ("return (__torch__.Color.RED).value", 7),
        ("return (__torch__.Sum(4)).twice()", 8),
    ],
)
def test_statements(body: str, expected: Any) -> None:
    before = """class Pair(NamedTuple):
  first : int
  second : int
class Color(Enum):
  RED = 7
class Sum:
  total : int
  def __init__(self: __torch__.Sum, total: int) -> NoneType:
    self.total = total
    return None
  def twice(self: __torch__.Sum) -> int:
    return torch.mul(self.total, 2)
"""
    if isinstance(expected, type):
        with pytest.raises(expected):
            run(body, torch.ones(2, 3), before=before)
        return
    assert run(body, torch.ones(2, 3), before=before) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("return torch.true_divide(x, 2)", [[0.0, 0.5], [1.0, 1.5]]),
        ("return torch.linalg_norm(x, None, [1], False, dtype=7)", [1.0, 13**0.5]),
        ("return torch.abs(torch.fft_rfft(x, None, -1, None))", [[1.0, 1.0], [5.0, 1.0]]),
        ("return torch.special_expit(torch.mul(x, 0))", [[0.5, 0.5], [0.5, 0.5]]),
        ("return torch.index_fill(x, 0, torch.tensor([1]), 9)", [[0.0, 1.0], [9.0, 9.0]]),
        ("return torch.concat([x, x], 1)", [[0.0, 1.0, 0.0, 1.0], [2.0, 3.0, 2.0, 3.0]]),
        ("return torch.sum_to_size(x, [1, 2])", [[2.0, 4.0]]),
        ("return torch.to_dense(torch.to_sparse(x))", [[0.0, 1.0], [2.0, 3.0]]),
        ("return torch.cpu(x)", [[0.0, 1.0], [2.0, 3.0]]),
        ("return torch.to(x, ops.prim.device(x))", [[0.0, 1.0], [2.0, 3.0]]),
        ('return torch.to(x, torch.device("cpu"), 4, False, True)', [[0, 1], [2, 3]]),
    ],
)
def test_operators_that_are_functions_of_python(body: str, expected: Any) -> None:
    found = run(body, torch.arange(4.0).view(2, 2))
    torch.testing.assert_close(found, torch.tensor(expected), check_dtype=False)


def test_both_operators_named_stft() -> None:
    signal, window = torch.randn(2, 32), torch.hann_window(8)
    plain = run(
        "return torch.stft(x, 8, 4, 8, w, False, True, True)", signal, window, parameters="x, w"
    )
    torch.testing.assert_close(
        plain, torch.stft(signal, 8, 4, 8, window, center=False, return_complex=True)
    )
    centred = run(
        'return torch.stft(x, 8, 4, 8, w, True, "reflect", False, True, True)',
        signal,
        window,
        parameters="x, w",
    )
    torch.testing.assert_close(centred, torch.stft(signal, 8, 4, 8, window, return_complex=True))


@pytest.mark.parametrize(
    "body",
    [
        "import os",
        "return __import__",
        "return [y for y in x]",
        "return lambda: 1",
        "global y",
        "return f'{x}'",
        "return x if (y := x) else x",
        "del x",
        "raise ValueError",
        "__builtins__ = 1",
        "torch.add = 1",
        "return f(*x)",
        "return f(**x)",
    ],
)
def test_other_syntax_is_refused(body: str) -> None:
    with pytest.raises(RuntimeError, match="TorchScript has no"):
        run(body, torch.ones(1))


@pytest.mark.parametrize(
    "body",
    [
        "return x.__class__",
        "return x.numpy()",
        "return (x).tofile('/tmp/x')",
        "return getattr(x, 'storage')",
        "return (run).__globals__",
        "return (torch.add).__globals__",
        "return (__torch__.f).__code__",
        "return open('x')",
        "return eval('1')",
        "return getattr",
        "return torch.load('x')",
        "return torch.from_file('x')",
        "return torch.fft_Tensor(x)",
        "return torch.ops",
        "return torch.__loader__",
        "return ops.prim.exec('1')",
        "return __torch__.missing(1)",
        "return CONSTANTS.c9",
    ],
)
def test_programs_reach_only_what_torchscript_has(body: str) -> None:
    with pytest.raises((AttributeError, NameError, NotImplementedError, RuntimeError)):
        function = run(body, torch.ones(1))
        function()  # an operator that does not exist is refused when it is called


def test_a_module_does_not_show_its_python_side() -> None:
    text = "class M(Module):\n  training : bool\n  def forward(self: __torch__.M) -> Any:\n    return (self).save('x')\n"
    module = new_object(Program({"__torch__.py": text}, (), 10).script_class("__torch__.M"))
    with pytest.raises(AttributeError, match="'save'"):
        module()


def test_old_programs_call_what_operators_did_then() -> None:
    text = "def f(x: Tensor, y: Tensor) -> Tensor:\n  return torch.div(x, y)\n"
    old, new = (Program({"__torch__.py": text}, (), version) for version in (3, 10))
    x, y = torch.tensor([7]), torch.tensor([2])
    assert old.resolve("__torch__.f")(x, y).item() == 3
    assert new.resolve("__torch__.f")(x, y).item() == 3.5


# ---- damaged files -------------------------------------------------------------------------------
def archive_of(module: Any) -> dict[str, bytes]:
    """The records of an archive."""
    with zipfile.ZipFile(io.BytesIO(module.save_to_buffer())) as file:
        return {name: file.read(name) for name in file.namelist()}


def load_records(records: dict[str, bytes]) -> Any:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        for name, content in records.items():
            file.writestr(name, content)
    buffer.seek(0)
    return torch.jit.load(buffer)


def test_damaged_archives_are_refused() -> None:
    records = archive_of(torch.jit.trace(nn.Linear(2, 1), torch.ones(1, 2)))
    pickle_name = next(name for name in records if name.endswith("/data.pkl"))
    for end in range(0, len(records[pickle_name]), 7):
        with pytest.raises(RuntimeError):
            load_records({**records, pickle_name: records[pickle_name][:end]})
    shell = b"\x80\x02cos\nsystem\n(X\x04\x00\x00\x00truetR."
    with pytest.raises(RuntimeError, match=r"the global os\.system is not one of TorchScript"):
        load_records({**records, pickle_name: shell})
    sources = {name: b"class" for name in records if name.endswith(".py")}
    with pytest.raises(RuntimeError, match="damaged program"):
        load_records({**records, **sources})
    without = {name: data for name, data in records.items() if "/code/" not in name}
    with pytest.raises(RuntimeError, match="does not define"):
        load_records(without)


def test_other_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="does not exist"):
        torch.jit.load(tmp_path / "missing.pt")
    with pytest.raises(ValueError, match="is a directory"):
        torch.jit.load(tmp_path)
    torch.save({}, tmp_path / "state.pt")
    with pytest.raises(RuntimeError, match=r"torch\.load reads what torch\.save wrote"):
        torch.jit.load(tmp_path / "state.pt")
    (tmp_path / "text.pt").write_text("text")
    with pytest.raises(RuntimeError, match="failed reading zip archive"):
        torch.jit.load(tmp_path / "text.pt")


# ---- traces --------------------------------------------------------------------------------------
class Network(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(3, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(inplace=True), nn.MaxPool2d(2)
        )
        self.head = nn.Linear(64, 5)
        self.register_buffer("scale", torch.tensor(2.0))

    def forward(self, x: Tensor) -> dict[str, Tensor]:
        """Compute with sizes, indices, writes, and operators with several results."""
        y = self.layers(x)
        y = y.view(y.size(0), -1)
        batch, width = y.shape
        first, second = y.chunk(2, 1)
        y = torch.cat([second, first], dim=-1)
        y[:, 0] = 1
        return {
            "logits": F.log_softmax(self.head(y), -1) * self.scale,
            "half": y[:, : width // 2].sum(-1, keepdim=True),
            "largest": torch.max(y, 1)[0],
            "resized": F.interpolate(x, scale_factor=2.0),
            "new": torch.zeros(batch, 2, dtype=torch.float64) + torch.arange(2),
        }


class Attention(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.attention = nn.MultiheadAttention(8, 2, batch_first=True)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Return the result and the weights."""
        y, weights = self.attention(x, x, x)
        return y, weights


class Recurrent(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding, self.rnn = nn.Embedding(10, 4), nn.LSTM(4, 6, 2, bidirectional=True)

    def forward(self, ids: Tensor) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        """Return the outputs and the last state."""
        return self.rnn(self.embedding(ids))


def products(xs: list[Tensor], options: dict[str, Tensor]) -> tuple[Tensor, Tensor]:
    """Take containers."""
    return torch.einsum("bi,bj->bij", xs[0], xs[1]) / options["k"] ** 2, -xs[0]


def lists(*sizes: int) -> tuple[list[Tensor], dict[str, Tensor]]:
    return [torch.randn(size, 2) for size in sizes], {"k": torch.tensor(float(sizes[0]))}


TRACED: dict[str, Callable[[], tuple[Any, tuple[Any, ...], tuple[Any, ...]]]] = {
    "convolutions": lambda: (
        Network().eval(),
        (torch.randn(1, 3, 8, 8),),
        (torch.randn(3, 3, 8, 8),),
    ),
    "attention": lambda: (Attention().eval(), (torch.randn(1, 3, 8),), (torch.randn(2, 5, 8),)),
    "encoder": lambda: (
        nn.TransformerEncoderLayer(8, 2, 16, batch_first=True).eval(),
        (torch.randn(1, 3, 8),),
        (torch.randn(2, 5, 8),),
    ),
    "recurrent": lambda: (
        Recurrent(),
        (torch.randint(0, 10, (4, 1)),),
        (torch.randint(0, 10, (6, 3)),),
    ),
    "function": lambda: (products, lists(1, 1), lists(4, 4)),
}


@pytest.mark.parametrize("name", TRACED)
def test_traces_work_for_other_sizes(name: str, tmp_path: Path) -> None:
    torch.manual_seed(0)
    function, examples, others = TRACED[name]()
    traced = torch.jit.trace(function, examples)
    expected = function(*others)
    torch.testing.assert_close(traced(*others), expected)
    traced.save(tmp_path / "traced.pt")
    torch.testing.assert_close(torch.jit.load(tmp_path / "traced.pt")(*others), expected)


@needs_peer
@pytest.mark.peer
def test_pytorch_runs_traces_from_here(tmp_path: Path) -> None:
    torch.manual_seed(0)
    for name, make in TRACED.items():
        function, examples, others = make()
        torch.jit.trace(function, examples).save(tmp_path / f"{name}.pt")
        with torch.no_grad():
            expected = {"arguments": others, "result": function(*others)}
        torch.save(expected, tmp_path / f"{name}.expected")
    run_peer("check", tmp_path)


def test_traces_have_gradients_and_share_the_parameters() -> None:
    linear = nn.Linear(3, 2)
    traced, x = torch.jit.trace(linear, torch.ones(1, 3)), torch.randn(4, 3)
    assert traced.weight is linear.weight and [*traced.state_dict()] == ["weight", "bias"]
    expected = torch.autograd.grad(linear(x).tanh().sum(), linear.weight)
    found = torch.autograd.grad(traced(x).tanh().sum(), traced.weight)
    torch.testing.assert_close(found, expected)


def test_traces_are_what_pytorch_calls_them() -> None:
    traced = torch.jit.trace(nn.Sequential(nn.Linear(2, 2)), torch.ones(1, 2))
    assert isinstance(traced, torch.jit.ScriptModule)
    assert isinstance(traced, torch.jit.TopLevelTracedModule)
    assert traced.original_name == "Sequential"
    assert repr(traced[0]) == "RecursiveScriptModule(original_name=Linear)"
    assert isinstance(torch.jit.trace(torch.relu, torch.ones(1)), torch.jit.ScriptFunction)


def test_reading_a_number_warns_and_results_are_checked() -> None:
    with pytest.warns(torch.jit.TracerWarning, match="to a Python boolean might cause"):
        torch.jit.trace(lambda x: x + 1 if x.sum() > 0 else x, torch.ones(1))
    calls = iter(range(9))
    with pytest.warns(torch.jit.TracerWarning, match="does not match"):
        torch.jit.trace(lambda x: x + next(calls), torch.ones(1))


def test_tracing_is_known_while_it_lasts() -> None:
    seen = []
    torch.jit.trace(lambda x: seen.append(torch.jit.is_tracing()) or x + 1, torch.ones(1))
    assert seen == [True, False] and not torch.jit.is_tracing()


def test_dropout_draws_the_same_numbers() -> None:
    traced = torch.jit.trace(nn.Dropout(0.5), torch.ones(8))
    torch.manual_seed(1)
    expected = F.dropout(torch.ones(5))
    torch.manual_seed(1)
    assert torch.equal(traced(torch.ones(5)), expected)


LEAF = torch.ones(1, requires_grad=True)


def test_several_methods_are_traced() -> None:
    class Two(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return x + 1

        def twice(self, x: Tensor) -> Tensor:
            return x * 2

    traced = torch.jit.trace_module(Two(), {"forward": torch.ones(1), "twice": torch.ones(1)})
    assert traced(torch.ones(1)).item() == 2 and traced.twice(torch.ones(1)).item() == 2
    buffer = io.BytesIO(traced.save_to_buffer())
    assert torch.jit.load(buffer).twice(torch.tensor([4.0])).item() == 8


@pytest.mark.parametrize(
    ("function", "inputs", "message"),
    [
        (lambda x: x, (1,), "Type 'int' cannot be traced"),
        (lambda x: 3, (torch.ones(1),), "can be output from traced"),
        (
            lambda x: x + LEAF,
            (torch.ones(1),),
            "Cannot insert a Tensor that requires grad as a constant",
        ),
    ],
)
def test_what_cannot_be_traced(function: Any, inputs: Any, message: str) -> None:
    with pytest.raises(RuntimeError, match=message):
        torch.jit.trace(function, inputs)


# ---- modules -------------------------------------------------------------------------------------
def test_loaded_modules_are_modules(tmp_path: Path) -> None:
    net = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
    traced = torch.jit.trace(net, torch.ones(3, 2), check_trace=False)
    traced.save(tmp_path / "net.pt", _extra_files={"a.txt": "text"})
    files = {"a.txt": ""}
    loaded = torch.jit.load(tmp_path / "net.pt", _extra_files=files)
    assert files == {"a.txt": b"text"}
    assert [n for n, _ in loaded.named_parameters()] == [n for n, _ in net.named_parameters()]
    assert [n for n, _ in loaded.named_buffers()] == [n for n, _ in net.named_buffers()]
    assert not loaded.eval().training and not loaded[0].training
    copied = copy.deepcopy(loaded)
    with torch.no_grad():
        copied[0].weight.zero_()
    assert loaded[0].weight.abs().sum() > 0
    assert copied(torch.ones(3, 2)).shape == (3, 2)
    assert loaded.double()[0].weight.dtype == torch.float64
    assert torch.jit.freeze(loaded) is loaded


def test_torch_load_names_the_function_for_archives(tmp_path: Path) -> None:
    torch.jit.trace(nn.ReLU(), torch.ones(1)).save(tmp_path / "relu.pt")
    with pytest.raises(RuntimeError, match="weights_only=True"):
        torch.load(tmp_path / "relu.pt")
    with pytest.warns(UserWarning, match="call 'torch.jit.load' directly"):
        loaded = torch.load(tmp_path / "relu.pt", weights_only=False)
    assert loaded(torch.tensor([-1.0])).item() == 0


def test_shared_modules_stay_shared() -> None:
    shared = nn.Linear(2, 2)
    traced = torch.jit.trace(nn.Sequential(shared, nn.ReLU(), shared), torch.ones(1, 2))
    loaded = torch.jit.load(io.BytesIO(traced.save_to_buffer()))
    assert loaded[0] is loaded[2] and len([*loaded.parameters()]) == 2
