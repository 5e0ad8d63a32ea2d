"""torch.save and torch.load: round trips here and with PyTorch, without running a file's code."""

from __future__ import annotations

import gzip
import io
import json
import os
import pickle
import struct
import subprocess
import sys
import zipfile
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import saved_objects

import torch
from torch import nn

PEER = os.environ.get("TORCH_PEER")
needs_peer = pytest.mark.skipif(
    not PEER, reason="set TORCH_PEER to a Python that has torch==2.13.0"
)


def expected() -> list[object]:
    made = saved_objects.made()
    return json.loads(json.dumps([saved_objects.described(made), [True, True]]))


def peer(*arguments: str) -> str:
    assert PEER
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    command = [PEER, saved_objects.__file__, *arguments]
    return subprocess.run(
        command, check=True, env=environment, capture_output=True, text=True
    ).stdout


def test_round_trip(tmp_path: Path) -> None:
    path = str(tmp_path / "checkpoint.pt")
    torch.save(saved_objects.made(), path)
    for result in json.loads(json.dumps(saved_objects.loaded(path))):
        assert result == expected()


@needs_peer
@pytest.mark.peer
def test_pytorch_reads_what_we_write(tmp_path: Path) -> None:
    path = str(tmp_path / "checkpoint.pt")
    torch.save(saved_objects.made(), path)
    for result in json.loads(peer("load", path)):
        assert result == expected()


@needs_peer
@pytest.mark.peer
def test_we_read_what_pytorch_writes(tmp_path: Path) -> None:
    path = str(tmp_path / "checkpoint.pt")
    peer("save", path)
    for result in json.loads(json.dumps(saved_objects.loaded(path))):
        assert result == expected()


def test_files_and_buffers() -> None:
    buffer = io.BytesIO()
    torch.save([torch.ones(3)], buffer)
    buffer.seek(0)
    assert torch.load(buffer)[0].tolist() == [1, 1, 1]


def test_storages_are_aligned() -> None:
    buffer = io.BytesIO()
    torch.save([torch.ones(n) for n in (1, 3, 1000)], buffer)
    data = buffer.getvalue()
    with zipfile.ZipFile(buffer) as archive:
        for info in archive.infolist():
            name, extra = struct.unpack("<HH", data[info.header_offset + 26 :][:4])
            assert (info.header_offset + 30 + name + extra) % 64 == 0


def test_changes_do_not_reach_a_mapped_file(tmp_path: Path) -> None:
    path = tmp_path / "checkpoint.pt"
    torch.save(torch.ones(1000), path)
    before = path.read_bytes()
    mapped = torch.load(path, mmap=True)
    mapped.mul_(2)
    assert mapped.sum() == 2000
    assert path.read_bytes() == before


class Custom:
    def __init__(self) -> None:
        self.value = 3


ran: list[str] = []


class Hostile:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return ran.append, ("code of the file ran",)


def test_code_in_the_file_does_not_run() -> None:
    buffer = io.BytesIO()
    torch.save(Hostile(), buffer)
    buffer.seek(0)
    with pytest.raises(pickle.UnpicklingError, match="Weights only load failed"):
        torch.load(buffer)
    assert not ran


@pytest.mark.parametrize(
    ("module", "name"),
    [("shutil", "rmtree"), ("builtins", "eval"), ("builtins", "getattr"), ("torch", "load")],
)
def test_globals_that_are_not_listed_are_refused(module: str, name: str) -> None:
    code = f"c{module}\n{name}\n(S'1'\ntR.".encode()
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("archive/data.pkl", code)
    buffer.seek(0)
    full = f"{module}.{name}".removeprefix("builtins.")
    with pytest.raises(pickle.UnpicklingError, match=f"GLOBAL {full} was not an allowed"):
        torch.load(buffer)


def test_safe_globals() -> None:
    before = torch.serialization.get_safe_globals()
    buffer = io.BytesIO()
    torch.save(Custom(), buffer)
    buffer.seek(0)
    with pytest.raises(pickle.UnpicklingError, match="add_safe_globals"):
        torch.load(buffer)
    buffer.seek(0)
    with torch.serialization.safe_globals([Custom]):
        assert torch.load(buffer).value == 3
    assert torch.serialization.get_safe_globals() == before
    buffer.seek(0)
    assert torch.load(buffer, weights_only=False).value == 3


def test_no_list_opens_modules_of_the_system() -> None:
    file = io.BytesIO()
    torch.save(os.execv, file)
    for safe in ([], [os.execv]):
        file.seek(0)
        refused = pytest.raises(
            pickle.UnpicklingError, match=r"posix\.execv whose module posix is b"
        )
        with torch.serialization.safe_globals(safe), refused:
            torch.load(file)


def test_compressed_files(tmp_path: Path) -> None:
    with gzip.open(tmp_path / "x.gz", "wb") as file:
        torch.save({"a": torch.arange(100)}, file)
    with gzip.open(tmp_path / "x.gz", "rb") as file:
        assert torch.load(file)["a"].sum() == 4950


def test_the_error_names_a_builtin_as_python_does() -> None:
    for value, name in ((slice(1), "slice"), (range(1), "range"), (ValueError("x"), "ValueError")):
        buffer = io.BytesIO()
        torch.save(value, buffer)
        buffer.seek(0)
        with pytest.raises(pickle.UnpicklingError, match=rf"add_safe_globals\(\[{name}\]\)"):
            torch.load(buffer)
        buffer.seek(0)
        with torch.serialization.safe_globals([type(value)]):
            assert repr(torch.load(buffer)) == repr(value)


def test_a_wrong_state_of_a_generator_is_refused() -> None:
    for state in ((1, None), 3, (1, None, "state"), ("seed", None, torch.Generator().get_state())):
        with pytest.raises((TypeError, RuntimeError)):
            torch.Generator().__setstate__(state)


def test_whole_modules_on_request() -> None:
    buffer = io.BytesIO()
    network = nn.Sequential(nn.Linear(2, 3), nn.ReLU())
    torch.save(network, buffer)
    buffer.seek(0)
    again = torch.load(buffer, weights_only=False)
    x = torch.ones(1, 2)
    assert torch.equal(network(x), again(x))


def test_foreign_byte_order() -> None:
    buffer = io.BytesIO()
    torch.save({"a": torch.arange(3.0), "b": torch.tensor([1 + 2j])}, buffer)
    swapped = io.BytesIO()
    with zipfile.ZipFile(buffer) as old, zipfile.ZipFile(swapped, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            if name.endswith("byteorder"):
                data = b"big"
            elif "/data/" in name:
                words = [data[i : i + 4][::-1] for i in range(0, len(data), 4)]
                data = b"".join(words)
            new.writestr(name, data)
    swapped.seek(0)
    result = torch.load(swapped)
    assert result["a"].tolist() == [0, 1, 2] and result["b"].tolist() == [1 + 2j]


def test_mistakes(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match=r"Parent directory .* does not exist"):
        torch.save(1, tmp_path / "missing" / "x.pt")
    with pytest.raises(FileNotFoundError):
        torch.load(tmp_path / "missing.pt")
    (tmp_path / "text").write_text("hello")
    with pytest.raises(pickle.UnpicklingError, match="Weights only load failed"):
        torch.load(tmp_path / "text")
    (tmp_path / "list").write_bytes(pickle.dumps([1]))
    with pytest.raises(RuntimeError, match="Invalid magic number; corrupt file"):
        torch.load(tmp_path / "list")
    with zipfile.ZipFile(tmp_path / "empty.zip", "w") as archive:
        archive.writestr("a/b", "c")
    with pytest.raises(RuntimeError, match=r"failed locating file data\.pkl"):
        torch.load(tmp_path / "empty.zip")
    with pytest.raises(RuntimeError, match="mmap can only be used with files saved with"):
        torch.load(io.BytesIO(), mmap=True)
    archive = io.BytesIO()
    torch.save(1, archive)
    with pytest.raises(ValueError, match="must be a file path"):
        torch.load(io.BytesIO(archive.getvalue()), mmap=True)
    with pytest.raises(AttributeError, match="'int' object has no attribute 'seek'"):
        torch.load(3)  # type: ignore[arg-type]
    with pytest.raises(AttributeError, match="a file-like object with a 'write' attribute"):
        torch.save(1, None)  # type: ignore[arg-type]


@pytest.mark.parametrize("weights_only", [True, False])
def test_files_that_end_early(weights_only: bool) -> None:
    def load(data: bytes) -> None:
        torch.load(io.BytesIO(data), weights_only=weights_only)

    for size, what in ((4, "not a ZIP archive"), (1000, "failed finding central directory")):
        with pytest.raises(RuntimeError, match=f"reading zip archive: {what}"):
            load(saved(torch.arange(1000))[:size])
    with pytest.raises(EOFError):
        load(b"")
    old = saved(torch.arange(1000), _use_new_zipfile_serialization=False)
    with pytest.raises(RuntimeError, match="unexpected EOF, expected 5 more bytes"):
        load(old[:-5])
    with pytest.raises(EOFError if weights_only else pickle.UnpicklingError):
        load(old[:100])


def saved(value: object, **options: bool) -> bytes:
    file = io.BytesIO()
    torch.save(value, file, **options)  # type: ignore[arg-type]
    return file.getvalue()


def test_the_default_of_weights_only(monkeypatch: pytest.MonkeyPatch) -> None:
    data = saved(Fraction(1, 2))
    with pytest.raises(
        pickle.UnpicklingError, match=r"GLOBAL fractions\.Fraction was not an allowed"
    ):
        torch.load(io.BytesIO(data))
    assert torch.load(io.BytesIO(data), pickle_module=pickle) == Fraction(1, 2)
    with pytest.raises(RuntimeError, match="when explicit pickle_module is specified"):
        torch.load(io.BytesIO(data), pickle_module=pickle, weights_only=True)
    monkeypatch.setenv("TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD", "1")
    with pytest.warns(UserWarning, match="forcing weights_only=False"):
        assert torch.load(io.BytesIO(data)) == Fraction(1, 2)
    monkeypatch.setenv("TORCH_FORCE_WEIGHTS_ONLY_LOAD", "1")
    with pytest.raises(RuntimeError, match="should be set, but both were set"):
        torch.load(io.BytesIO(data))
    monkeypatch.delenv("TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD")
    with pytest.raises(pickle.UnpicklingError):
        torch.load(io.BytesIO(data), weights_only=False)


def test_tensors_without_memory_are_not_written() -> None:
    class Wrapper(torch.Tensor):
        @classmethod
        def __torch_dispatch__(cls, *args: object, **kwargs: object) -> None:
            raise NotImplementedError

    wrapper = torch.Tensor._make_wrapper_subclass(Wrapper, (2,))
    with pytest.raises(RuntimeError, match="invalid python storage"):
        memoryview(wrapper.untyped_storage())
    with pytest.raises(NotImplementedError, match="Cannot access storage of BatchedTensorImpl"):
        torch.vmap(saved)(torch.ones(2))


def test_the_error_for_a_cuda_checkpoint_names_a_remedy(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    torch.save(torch.ones(2), buffer)
    moved = io.BytesIO()
    with zipfile.ZipFile(buffer) as old, zipfile.ZipFile(moved, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            if name.endswith("data.pkl"):
                data = data.replace(b"X\x03\x00\x00\x00cpu", b"X\x06\x00\x00\x00cuda:0")
            new.writestr(name, data)
    moved.seek(0)
    with pytest.raises(RuntimeError, match="Attempting to deserialize object on a CUDA device"):
        torch.load(moved)
    for location in ("cpu", torch.device("cpu"), {"cuda:0": "cpu"}, lambda storage, where: storage):
        moved.seek(0)
        assert torch.load(moved, map_location=location).tolist() == [1, 1]


EXCHANGE = """
import pickle, sys, torch
tensor = torch.arange(4.0)
made = [tensor, tensor[1:], torch.nn.Linear(2, 1).bfloat16(), torch.eye(2).to_sparse(), tensor.storage()]
if sys.argv[1] == "write":
    pickle.dump(made, open(sys.argv[2], "wb"))
else:
    first, second, layer, sparse, storage = pickle.load(open(sys.argv[2], "rb"))
    assert torch.equal(first, tensor) and torch.equal(second, tensor[1:])
    assert layer.weight.dtype is torch.bfloat16 and layer.weight.shape == (1, 2)
    assert torch.equal(sparse.to_dense(), torch.eye(2)) and list(storage) == [0, 1, 2, 3]
"""


@needs_peer
@pytest.mark.peer
def test_plain_pickles_are_exchanged_with_pytorch(tmp_path: Path) -> None:
    assert PEER
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    for writer, reader in ((PEER, sys.executable), (sys.executable, PEER)):
        for python, action in ((writer, "write"), (reader, "read")):
            command = [python, "-W", "ignore", "-c", EXCHANGE, action, str(tmp_path / "made.pkl")]
            subprocess.run(command, check=True, env=environment, cwd=tmp_path)


def test_pickled_storages_are_those_of_torch_save() -> None:
    data = pickle.dumps(torch.arange(3))
    assert b"torch.storage" in data and b"_load_from_bytes" in data
    assert pickle.loads(data).tolist() == [0, 1, 2]


def test_indices_in_old_files_are_checked_when_they_are_read() -> None:
    data = saved(
        torch.sparse_coo_tensor([[77]], [1.0], (99,)), _use_new_zipfile_serialization=False
    )
    assert torch.load(io.BytesIO(data)).to_dense()[77] == 1
    assert data.count(struct.pack("<q", 77)) == 1
    damaged = data.replace(struct.pack("<q", 77), struct.pack("<q", 777))
    with pytest.raises(RuntimeError, match="size is inconsistent with indices"):
        torch.load(io.BytesIO(damaged))


def test_settings_say_whether_files_are_mapped(tmp_path: Path) -> None:
    from torch.utils.serialization import config

    torch.save(torch.arange(3), tmp_path / "tensor.pt")
    with (tmp_path / "tensor.pt").open("rb") as file:
        torch.load(file)
        config.load.mmap = True
        try:
            file.seek(0)
            with pytest.raises(ValueError, match="must be a file path"):
                torch.load(file)
            assert torch.load(tmp_path / "tensor.pt").tolist() == [0, 1, 2]
            file.seek(0)
            assert torch.load(file, mmap=False).tolist() == [0, 1, 2]
        finally:
            config.load.mmap = False


def test_settings_of_files_are_those_of_the_functions() -> None:
    from torch.utils.serialization import config

    assert config.load.mmap_flags == torch.serialization.get_default_mmap_options()
    assert config.save.compute_crc32 is torch.serialization.get_crc32_options()
    with pytest.raises(NotImplementedError, match="aligned to 64 bytes"):
        config.save.storage_alignment = 4096


def test_save_to_an_object_that_only_writes_and_flushes() -> None:
    class Upload:
        def __init__(self) -> None:
            self.content, self.flushed = b"", False

        def write(self, data: Any) -> None:
            self.content += bytes(data)
            self.flushed = False

        def flush(self) -> None:
            self.flushed = True

    upload = Upload()
    torch.save({"weight": torch.arange(3)}, upload)
    assert upload.flushed
    assert torch.load(io.BytesIO(upload.content))["weight"].tolist() == [0, 1, 2]
