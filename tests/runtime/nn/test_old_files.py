"""Files of torch.save from before PyTorch 1.6: a sequence of pickles, or a tar archive."""

from __future__ import annotations

import io
import os
import pickle
import struct
import subprocess
import tarfile
from collections import OrderedDict
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="the package is not built: python setup.py develop")

DTYPES = [
    *(torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.bool),
    *(torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.complex64),
]


def saved(value: object) -> io.BytesIO:
    file = io.BytesIO()
    torch.save(value, file, _use_new_zipfile_serialization=False)
    file.seek(0)
    return file


@pytest.mark.parametrize("weights_only", [True, False])
def test_values_return(weights_only: bool) -> None:
    tensors = {str(dtype): torch.arange(3).to(dtype) for dtype in DTYPES}
    found = torch.load(saved({"tensors": tensors, "step": (1, 2.5)}), weights_only=weights_only)
    assert found["step"] == (1, 2.5)
    for name, tensor in tensors.items():
        torch.testing.assert_close(found["tensors"][name], tensor, rtol=0, atol=0)


def test_tensors_share_memory_again() -> None:
    base = torch.arange(6.0)
    found = torch.load(saved([base, base[2:], base.view(2, 3).t()]))
    found[0][5] = 9.0
    assert found[1][3] == 9.0 and found[2][2, 1] == 9.0


def test_modules_and_optimizers_return() -> None:
    model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.BatchNorm1d(3))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    model(torch.randn(4, 2)).sum().backward()
    optimizer.step()
    found = torch.load(saved((model.state_dict(), optimizer.state_dict())))
    torch.testing.assert_close(found[0], model.state_dict())
    assert found[0]._metadata == model.state_dict()._metadata
    torch.testing.assert_close(
        found[1]["state"][0]["momentum_buffer"],
        optimizer.state_dict()["state"][0]["momentum_buffer"],
    )
    whole = torch.load(saved(model), weights_only=False)
    torch.testing.assert_close(whole(torch.ones(2, 2)), model(torch.ones(2, 2)))


def test_several_values_in_one_file() -> None:
    file = io.BytesIO()
    for number in range(3):
        torch.save(torch.full((2,), number), file, _use_new_zipfile_serialization=False)
    file.seek(0)
    assert [torch.load(file).tolist() for _ in range(3)] == [[0, 0], [1, 1], [2, 2]]


def test_the_other_byte_order(tmp_path: Path) -> None:
    """A file of a big-endian machine has other bytes, and says so."""
    data = saved(torch.tensor([1, 2], dtype=torch.int32)).getvalue()
    swapped = data.replace(struct.pack("<2i", 1, 2), struct.pack(">2i", 1, 2))
    at = swapped.index(b"little_endian")
    true = swapped.index(b"\x88", at)  # the opcode of True
    swapped = swapped[:true] + b"\x89" + swapped[true + 1 :]
    assert torch.load(io.BytesIO(swapped)).tolist() == [1, 2]


def test_locations_are_mapped() -> None:
    found = torch.load(saved(torch.ones(2)), map_location="meta")
    assert found.device.type == "meta"


@pytest.mark.parametrize("size", [0, 1, 20, 150, -1])
def test_a_file_that_ends_early_is_an_error(size: int) -> None:
    data = saved(torch.arange(8)).getvalue()
    with pytest.raises((RuntimeError, EOFError, pickle.UnpicklingError)):
        torch.load(io.BytesIO(data[:size]))


def test_other_files_are_refused() -> None:
    with pytest.raises(RuntimeError, match="Invalid magic number"):
        torch.load(io.BytesIO(pickle.dumps({"a": 1})))
    with pytest.raises(pickle.UnpicklingError, match="Weights only load failed"):
        torch.load(io.BytesIO(b"text, not a pickle"))


def test_code_is_not_run(tmp_path: Path) -> None:
    class Hostile:
        def __reduce__(self):
            return os.mkdir, (str(tmp_path / "made"),)

    with pytest.raises(pickle.UnpicklingError, match=r"posix\.mkdir whose module posix is blocked"):
        torch.load(saved(Hostile()))
    assert not (tmp_path / "made").exists()


def test_memory_mapping_needs_a_zip_archive(tmp_path: Path) -> None:
    (tmp_path / "old.pt").write_bytes(saved(torch.ones(2)).getvalue())
    with pytest.raises(RuntimeError, match="mmap can only be used"):
        torch.load(tmp_path / "old.pt", mmap=True)


def test_memory_under_two_dtypes_cannot_be_written() -> None:
    x = torch.ones(2)
    with pytest.raises(RuntimeError, match="view the same data as different types"):
        saved([x, x.view(torch.int32)])


def test_empty_memory_under_two_dtypes_is_written() -> None:
    empty = torch.ones(0)
    integers = torch.TypedStorage(wrap_storage=empty.untyped_storage(), dtype=torch.int32)
    assert torch.load(saved([empty, integers]), weights_only=False)[1].dtype is torch.int32


@pytest.mark.parametrize("weights_only", [True, False])
def test_names_that_python_2_wrote(weights_only: bool) -> None:
    data = saved(torch.arange(3)).getvalue()
    old = data.replace(b"X\x03\x00\x00\x00cpu", b"U\x03cpu")  # a str of Python 2
    assert old != data
    found = torch.load(io.BytesIO(old), encoding="bytes", weights_only=weights_only)
    assert found.tolist() == [0, 1, 2]


def test_what_was_saved_is_in_the_file(tmp_path: Path) -> None:
    with open(tmp_path / "old.pt", "wb") as file:
        torch.save(torch.arange(3), file, _use_new_zipfile_serialization=False)
        assert torch.load(tmp_path / "old.pt").tolist() == [0, 1, 2]


# ---- tar archives ------------------------------------------------------------------------------
class _ById(pickle.Pickler):
    def __init__(self, file: io.BytesIO, numbers: dict[int, int]) -> None:
        super().__init__(file, 2)
        self._numbers = numbers

    def persistent_id(self, value: object) -> int | None:
        return self._numbers.get(id(value))


def tar_archive(value: object, tensors: list[torch.Tensor], view: bool = False) -> io.BytesIO:
    """Write what versions before 0.2 wrote: every tensor has a storage of floats."""
    storages, rows, main = io.BytesIO(), io.BytesIO(), io.BytesIO()
    pickle.dump(len(tensors), storages, 2)
    pickle.dump(len(tensors), rows, 2)
    for number, tensor in enumerate(tensors):
        elements = tensor.untyped_storage().nbytes() // 4
        pickle.dump((number, "cpu", torch.FloatStorage), storages, 2)
        storages.write(struct.pack("<q", elements) + bytes(tensor.untyped_storage()))
        pickle.dump((100 + number, 50 if view else number, torch.Tensor), rows, 2)
        shape = (*tensor.shape, *tensor.stride(), 0 if view else tensor.storage_offset())
        rows.write(struct.pack(f"<i4x{len(shape)}q", tensor.dim(), *shape))
    pickle.dump([(50, 0, 1, 2)] if view else [], storages, 2)
    numbers = {id(tensor): 100 + number for number, tensor in enumerate(tensors)}
    _ById(main, numbers).dump(value)
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        for name, content in (("storages", storages), ("tensors", rows), ("pickle", main)):
            info = tarfile.TarInfo(name)
            info.size = len(content.getvalue())
            archive.addfile(info, io.BytesIO(content.getvalue()))
    file.seek(0)
    return file


def test_tar_archives_load() -> None:
    x, y = torch.arange(6.0).view(2, 3).t(), torch.ones(())
    found = torch.load(tar_archive(OrderedDict(x=x, y=[y]), [x, y]), weights_only=False)
    torch.testing.assert_close(found["x"], x)
    torch.testing.assert_close(found["y"], [y])
    assert found["x"].stride() == x.stride()
    torch.testing.assert_close(torch.load(tar_archive(x, [x])), x)


def test_views_of_storages_in_tar_archives() -> None:
    x = torch.arange(4.0)[1:3]
    torch.testing.assert_close(torch.load(tar_archive(x, [x], view=True)), x)


def test_a_tar_archive_without_its_members_is_an_error() -> None:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("other"))
    file.seek(0)
    with pytest.raises(RuntimeError, match="has no member 'storages'"):
        torch.load(file)


PEER = """
import sys, torch
mode, path = sys.argv[1:]
torch.manual_seed(0)
x = torch.arange(6.0).view(2, 3)
value = {"x": x, "t": x.t(), "p": torch.nn.Parameter(torch.ones(2)), "h": torch.ones(2).half()}
if mode == "save":
    torch.save(value, path, _use_new_zipfile_serialization=False)
else:
    found = torch.load(path)
    for name, tensor in value.items():
        torch.testing.assert_close(found[name], tensor)
    found["x"][0, 1] = 9.0
    assert found["t"][1, 0] == 9.0 and type(found["p"]) is torch.nn.Parameter
"""


@pytest.mark.peer
@pytest.mark.parametrize("order", [("peer", "ours"), ("ours", "peer")])
def test_pytorch_reads_the_same_format(order: tuple[str, str], tmp_path: Path) -> None:
    peer = os.environ.get("TORCH_PEER")
    if not peer:
        pytest.skip("set TORCH_PEER to a Python that has torch 2.13.0")
    import sys

    pythons = {"peer": peer, "ours": sys.executable}
    for mode, side in zip(("save", "load"), order, strict=True):
        command = [pythons[side], "-c", PEER, mode, str(tmp_path / "old.pt")]
        subprocess.run(command, check=True, cwd=tmp_path)
