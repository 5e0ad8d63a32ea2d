"""Mobile archives: a module's state and program in a FlatBuffer, which PyTorch reads and writes too."""

from __future__ import annotations

import io
import os
import random
import subprocess
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="the package is not built: python setup.py develop")

from torch import nn  # noqa: E402
from torch.jit import _numbers, mobile  # noqa: E402
from torch.jit.mobile import LiteScriptModule  # noqa: E402

try:
    import torch._C_flatbuffer as flatbuffer
except ModuleNotFoundError:
    flatbuffer = None

needs_flatbuffers = pytest.mark.skipif(
    flatbuffer is None, reason="needs USE_FLATBUFFERS=ON python setup.py develop"
)


class Network(nn.Module):
    """Layers, attributes of several types, and operators with all kinds of arguments."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(3, 4)
        self.norm = nn.BatchNorm1d(4)
        self.rest = nn.Sequential(nn.Linear(4, 2), nn.Linear(2, 2))
        self.register_buffer("table", torch.arange(6.0).view(2, 3).t())
        self.names, self.sizes, self.rate = ["a", "b"], [1, 2], 0.5
        self.options = {"depth": 3}

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """Return results of several dtypes."""
        y = self.rest(torch.relu(self.norm(self.first(x)))) / 2
        whole = torch.cat([y, y @ self.table.t()], 1).to(torch.float64)
        return y, whole, x.to(torch.int32) // 2, torch.full([2], 3.0), *torch.max(x, 1)


@pytest.fixture
def network() -> Network:
    torch.manual_seed(0)
    model = Network().eval()
    model.norm.running_mean.add_(0.5)
    return model


@pytest.fixture
def x() -> torch.Tensor:
    return torch.randn(4, 3, generator=torch.Generator().manual_seed(1))


def written(module: LiteScriptModule, **files: str) -> bytes:
    return torch._C._save_mobile_module_to_bytes(module, files)


@pytest.mark.skipif(flatbuffer is not None, reason="this build has FlatBuffers")
def test_a_build_without_flatbuffers_says_so(network: Network) -> None:
    with pytest.raises(NotImplementedError, match="USE_FLATBUFFERS=ON"):
        LiteScriptModule.of(network)


@needs_flatbuffers
def test_tensors_return(network: Network, tmp_path: Path) -> None:
    path = tmp_path / "network.ptl"
    torch._C._save_mobile_module(LiteScriptModule.of(network), str(path))
    found = mobile._load_for_lite_interpreter(path)
    expected = network.state_dict()
    assert list(found.state_dict()) == list(expected)
    for name, tensor in found.state_dict().items():
        torch.testing.assert_close(tensor.detach(), expected[name], rtol=0, atol=0)
        assert tensor.stride() == expected[name].stride()
    assert found.attributes.first.weight.requires_grad and not found.attributes.table.requires_grad


@needs_flatbuffers
@pytest.mark.parametrize("dtype", sorted(map(str, _numbers.SCALAR_TYPES.values())))
def test_every_dtype_returns(dtype: str) -> None:
    module = nn.Module()
    tensor = torch.arange(4, dtype=torch.uint8).view(torch.uint8)
    wide = torch.zeros(64, dtype=torch.uint8)
    wide[:4] = tensor
    of_dtype = getattr(torch, dtype.removeprefix("torch."))
    module.register_buffer("value", wide.view(of_dtype) if of_dtype != torch.bool else wide > 0)
    found = torch._C._load_mobile_module_from_bytes(written(LiteScriptModule.of(module)))
    assert found.attributes.value.dtype == of_dtype
    assert bytes(found.attributes.value.untyped_storage()) == bytes(module.value.untyped_storage())


@needs_flatbuffers
def test_attributes_return(network: Network) -> None:
    found = LiteScriptModule.of(network, extra_files={"notes.txt": "hello"})
    state = found.attributes
    assert (state.names, state.sizes, state.rate) == (["a", "b"], [1, 2], 0.5)
    assert state.options == {"depth": 3} and state.training is False
    assert found.extra_files == {"notes.txt": b"hello"}
    more = torch._C._load_mobile_module_from_bytes(written(found, other="x"))
    assert more.extra_files == {"notes.txt": b"hello", "other": b"x"}
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = state.nothing


@needs_flatbuffers
def test_shared_memory_is_written_once(network: Network) -> None:
    network.rest[1].weight = network.rest[0].weight = nn.Parameter(torch.ones(2, 2))
    network.register_buffer("part", network.table[1:])
    state = torch._C._load_mobile_module_from_bytes(
        written(LiteScriptModule.of(network))
    ).attributes
    state.table[2, 1] = 9.0
    assert state.part[1, 1] == 9.0
    assert state.rest.__getattr__("0").weight is state.rest.__getattr__("1").weight


@needs_flatbuffers
def test_files_are_mapped_and_stay_as_they_are(network: Network, tmp_path: Path) -> None:
    path = tmp_path / "network.ptl"
    path.write_bytes(written(LiteScriptModule.of(network)))
    before = path.read_bytes()
    found = mobile._load_for_lite_interpreter(str(path))
    tensor = found.attributes.table
    assert type(tensor.untyped_storage()._buffer_owner).__name__ == "mmap"
    assert tensor.data_ptr() % 16 == 0
    tensor.fill_(7.0)
    assert path.read_bytes() == before
    changed = torch._C._load_mobile_module_from_bytes(written(found))
    assert (changed.attributes.table == 7.0).all()


@needs_flatbuffers
def test_the_recorded_program_computes_what_the_module_computes(
    network: Network, x: torch.Tensor
) -> None:
    module = torch._C._load_mobile_module_from_bytes(written(LiteScriptModule.of(network, (x,))))
    torch.testing.assert_close(module(x + 1), network(x + 1))
    torch.testing.assert_close(module.forward(x[:2]), network(x[:2]))
    assert module.find_method("forward") and not module.find_method("backward")
    assert "aten::cat" in mobile._export_operator_list(module)
    with pytest.raises(TypeError, match="takes 1 arguments"):
        module(x, x)
    with pytest.raises(RuntimeError, match="Method 'train' is not defined"):
        module.run_method("train")


@needs_flatbuffers
def test_an_archive_names_the_oldest_version_that_reads_it(x: torch.Tensor) -> None:
    class Division(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x / x

    for module, version in ((nn.ReLU(), 3), (Division(), 4), (nn.GELU(), 10)):
        data = written(LiteScriptModule.of(module, (x,)))
        facts = torch._C._get_module_info_from_flatbuffer(data)
        assert (facts["operator_version"], facts["bytecode_version"]) == (version, 9)
        assert mobile._get_model_bytecode_version(io.BytesIO(data)) == 9


@needs_flatbuffers
@pytest.mark.parametrize(("version", "expected"), [(3, [3, -3]), (4, [3.5, -3.5])])
def test_an_old_archive_computes_what_it_computed(version: int, expected: list[float]) -> None:
    class Division(nn.Module):
        def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
            return x / y

    x, y = torch.tensor([7, -7]), torch.tensor([2, 2])
    data = written(LiteScriptModule.of(Division(), (x, y)))
    content = list(flatbuffer._parse(data))
    content[1], content[6] = version, [data[at : at + size] for at, size in content[6]]
    old = torch._C._load_mobile_module_from_bytes(flatbuffer._serialize(tuple(content)))
    assert old(x, y).tolist() == expected


@needs_flatbuffers
def test_what_archives_cannot_hold_is_an_error(x: torch.Tensor) -> None:
    module = nn.Module()
    module.register_buffer("sparse", torch.eye(2).to_sparse())
    with pytest.raises(TypeError, match=r"cannot hold a tensor of torch\.sparse_coo"):
        LiteScriptModule.of(module)
    with pytest.raises(TypeError, match="example inputs must be tensors, not int"):
        LiteScriptModule.of(nn.ReLU(), (1,))


@needs_flatbuffers
def test_damaged_files_are_errors(network: Network, x: torch.Tensor) -> None:
    data = written(LiteScriptModule.of(network, (x,)))
    for size in (0, 4, 8, 100, len(data) - 40):
        with pytest.raises(RuntimeError, match=r"not a mobile archive|damaged"):
            torch._C._load_mobile_module_from_bytes(data[:size])
    source = random.Random(0)
    refused = 0
    for _ in range(400):
        broken = bytearray(data)
        for _ in range(source.randint(1, 3)):
            broken[source.randrange(len(broken))] = source.randrange(256)
        try:
            torch._C._load_mobile_module_from_bytes(bytes(broken))
        except (RuntimeError, NotImplementedError):
            refused += 1
    assert refused > 200


BROKEN = {
    "it has no value 999": (4, 999),
    "its state is not an object": (4, 0),
    "value 1 contains itself": (5, [None, ("Tuple", [1])]),
    "has 0 attributes": (5, [None, ("Object", 0, 0, [], 0)]),
    "it has no storage 0": (5, [None, ("Tensor", 0, 6, 0, [1], [1], False, False)]),
    "another number of keys": (5, [None, ("Dict", [0], [], "")]),
}


@needs_flatbuffers
@pytest.mark.parametrize("message", BROKEN)
def test_references_are_checked(message: str) -> None:
    field, value = BROKEN[message]
    content = [9, 3, [], [], 1, [None, 5], [], [("__torch__.M", 1, ["a"])], [], []]
    content[field] = value
    with pytest.raises(RuntimeError, match=f"the mobile archive is damaged: .*{message}"):
        torch._C._load_mobile_module_from_bytes(flatbuffer._serialize(tuple(content)))


@needs_flatbuffers
def test_tensors_stay_within_their_storage() -> None:
    for sizes, strides, offset in (([3], [1], 0), ([2], [1], 1), ([2], [-1], 1), ([1], [1], 9)):
        tensor = ("Tensor", 0, 6, offset, sizes, strides, False, False)
        values = [None, ("Object", 0, 0, [2], 0), tensor]
        content = (9, 3, [], [], 1, values, [bytes(8)], [("__torch__.M", 1, ["a"])], [], [])
        with pytest.raises(RuntimeError, match="the mobile archive is damaged: a tensor"):
            torch._C._load_mobile_module_from_bytes(flatbuffer._serialize(content))


@needs_flatbuffers
def test_parsing_is_the_inverse_of_writing() -> None:
    code = ("Function", "f", [(4, 1, 1), (12, 0, 0)], [("aten::add", "Tensor", 3)], [1, 2])
    schema = ([("self", "M", 0)], [("", "Tensor", 0)])
    values = [
        *(
            None,
            True,
            -5,
            2.5,
            1 + 2j,
            "text",
            ("List", [1, 2], "List[int]"),
            ("IntList", [1 << 40]),
        ),
        *(("DoubleList", [0.5]), ("BoolList", [True, False]), ("Tuple", [3]), ("Device", "cpu")),
        *(("Dict", [5], [1], "Dict[str, bool]"), ("Object", 0, 0, [1], 0), ("Enum", "E", 2)),
        ("Tensor", 0, 6, 1, [2, 3], [3, 1], True, False),
        (*code, ["List[int]"], 7, schema, 0),
    ]
    content = (
        9,
        4,
        [16],
        [("f", b"\xff\0")],
        13,
        values,
        [b"12345678"],
        [("M", 1, ["a"])],
        [],
        [1],
    )
    data = flatbuffer._serialize(content)
    found = list(flatbuffer._parse(data))
    ((at, size),) = found[6]
    found[6] = [data[at : at + size]]
    assert tuple(found) == content and at % 16 == 0


@needs_flatbuffers
@pytest.mark.parametrize(
    "value", [object(), ("Nothing", 1), ("Tuple", [-1]), ("Tuple", 3), 1 << 80]
)
def test_other_data_is_not_written(value: object) -> None:
    content = (9, 3, [], [], 0, [None, value], [], [], [], [])
    with pytest.raises((TypeError, ValueError, OverflowError)):
        flatbuffer._serialize(content)


# ---- with PyTorch ------------------------------------------------------------------------------
SCRIPT = """
import sys, torch
from typing import Optional
class M(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.l, self.bn, self.n = torch.nn.Linear(3, 2), torch.nn.BatchNorm1d(2), 5
    def forward(self, x, k: int = 2):
        y = self.l(x)
        if k > 1:
            y = torch.relu(y)
        for i in range(k):
            y = y + i * self.n
        return self.bn(y)
    @torch.jit.export
    def other(self, x, d: Optional[int] = None):
        if d is None:
            d = 2
        out = [x]
        out.append(torch.div(x, d))
        return out[-1], len(out), x.size(0), "{}".format(d), torch.full([2], 1, dtype=torch.int32)
torch.manual_seed(0)
module = torch.jit.script(M().eval())
x = torch.randn(4, 3)
module._save_for_lite_interpreter(sys.argv[1], _use_flatbuffer=True)
torch.save({"x": x, "forward": module(x), "more": module(x, 4), "other": module.other(x)}, sys.argv[2])
"""
READER = """
import sys, torch
module = torch._C._load_mobile_module_from_file(sys.argv[1])
values = torch.load(sys.argv[2])
torch.testing.assert_close(module.forward((values["x"],)), values["forward"])
"""


def run_peer(program: str, *arguments: Path) -> None:
    peer = os.environ.get("TORCH_PEER")
    if not peer:
        pytest.skip("set TORCH_PEER to a Python that has torch 2.13.0")
    (arguments[0].parent / "program.py").write_text(program)
    command = [peer, "-W", "ignore", "program.py", *map(str, arguments)]
    subprocess.run(command, check=True, cwd=arguments[0].parent)


@needs_flatbuffers
@pytest.mark.peer
def test_scripted_modules_of_pytorch_run(tmp_path: Path) -> None:
    run_peer(SCRIPT, tmp_path / "module.ptl", tmp_path / "values.pt")
    module = mobile._load_for_lite_interpreter(tmp_path / "module.ptl")
    values = torch.load(tmp_path / "values.pt")
    torch.testing.assert_close(module(values["x"]), values["forward"])
    torch.testing.assert_close(module(values["x"], 4), values["more"])
    assert module.attributes.n == 5
    found = module.run_method("other", values["x"])
    for value, expected in zip(found, values["other"], strict=True):
        if isinstance(expected, torch.Tensor):
            torch.testing.assert_close(value, expected)
        else:
            assert value == expected


@needs_flatbuffers
@pytest.mark.peer
def test_pytorch_runs_our_modules(network: Network, x: torch.Tensor, tmp_path: Path) -> None:
    module = LiteScriptModule.of(network, (x,))
    torch._C._save_mobile_module(module, str(tmp_path / "module.ptl"))
    torch.save({"x": x, "forward": network(x)}, tmp_path / "values.pt")
    run_peer(READER, tmp_path / "module.ptl", tmp_path / "values.pt")
