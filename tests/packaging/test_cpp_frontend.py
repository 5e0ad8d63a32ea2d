"""The C++ front end: programs that build with find_package(Torch), train, and exchange files with Python."""

from __future__ import annotations

import math
import struct
import subprocess
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="the package is not built: python setup.py develop")

HERE = Path(__file__).resolve().parent / "cpp/frontend"
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder with the built programs."""
    build = tmp_path_factory.mktemp("frontend")
    place = f"-DCMAKE_PREFIX_PATH={torch.utils.cmake_prefix_path}"
    kind = "-DCMAKE_BUILD_TYPE=Release"
    configure = ["cmake", "-G", "Ninja", "-S", str(HERE), "-B", str(build), place, kind]
    for command in (configure, ["cmake", "--build", str(build)]):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    return build


@pytest.fixture(scope="module")
def digits(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with images in MNIST's format: a bright block whose place is the digit."""
    folder = tmp_path_factory.mktemp("digits")
    for prefix, count in (("train", 640), ("t10k", 200)):
        labels = [index % 10 for index in range(count)]
        images = torch.rand(count, 28, 28, generator=torch.Generator().manual_seed(count)) * 0.2
        for image, label in zip(images, labels, strict=True):
            row, column = 2 + 13 * (label // 5), 1 + 5 * (label % 5)
            image[row : row + 10, column : column + 5] += 0.7
        pixels = bytes((images * 255).to(torch.uint8).numpy())
        head = struct.pack(">4I", 0x803, count, 28, 28)
        (folder / f"{prefix}-images-idx3-ubyte").write_bytes(head + pixels)
        head = struct.pack(">2I", 0x801, count)
        (folder / f"{prefix}-labels-idx1-ubyte").write_bytes(head + bytes(labels))
    return folder


def run(program: Path, *arguments: Path) -> str:
    done = subprocess.run(
        [str(program), *map(str, arguments)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_network_learns_digits(programs: Path, digits: Path, tmp_path: Path) -> None:
    out = run(programs / "mnist", digits, tmp_path / "model.pt")
    count, before, after, loaded = map(float, out.split())
    assert count == 640 and before < 0.5 and after > 0.9 and loaded == after
    state = torch.load(tmp_path / "model.pt")
    assert list(state)[:2] == ["conv1.weight", "conv1.bias"]
    assert state["fc1.weight"].shape == (50, 320)


def test_an_adversarial_network_trains(programs: Path, digits: Path, tmp_path: Path) -> None:
    losses = map(float, run(programs / "dcgan", digits, tmp_path / "generator.pt").split())
    assert all(math.isfinite(loss) and 0 < loss < 10 for loss in losses)
    state = torch.load(tmp_path / "generator.pt")
    assert state["batch_norm1.num_batches_tracked"] == 10


def test_regression_and_files_of_both_languages(programs: Path, tmp_path: Path) -> None:
    model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.BatchNorm1d(3))
    torch.save(model.state_dict(), tmp_path / "python.pt")
    first, second = run(programs / "regression", tmp_path).splitlines()
    assert first == "1 0"  # converged, and a model continues from files as it would without
    assert float(second.split()[0]) == pytest.approx(model[0].weight.sum().item(), rel=1e-4)
    assert second.split()[1] == "3"
    states = torch.load(tmp_path / "optimizer.pt")
    assert set(states[0]) == {"step", "exp_avg", "exp_avg_sq"} and states[0]["step"] == 1


def test_optimizers_take_the_steps_that_python_takes(programs: Path, tmp_path: Path) -> None:
    torch.manual_seed(0)
    given = [torch.randn(3, 4) for _ in range(6)]
    torch.save(given, tmp_path / "given.pt")
    run(programs / "optimizers", tmp_path / "given.pt", tmp_path / "results.pt")
    optim = torch.optim
    made = [
        lambda p: optim.SGD([p], 0.1, momentum=0.9, weight_decay=0.01),
        lambda p: optim.SGD([p], 0.1, momentum=0.9, nesterov=True),
        lambda p: optim.Adam([p], 0.1, weight_decay=0.1),
        lambda p: optim.AdamW([p], 0.1, weight_decay=0.1),
    ]
    results = torch.load(tmp_path / "results.pt")
    assert len(results) == len(made)
    for make, result in zip(made, results, strict=True):
        parameter = given[0].clone().requires_grad_()
        optimizer = make(parameter)
        schedule = optim.lr_scheduler.StepLR(optimizer, 2, 0.5)
        for gradient in given[1:]:
            parameter.grad = gradient.clone()
            optimizer.step()
            schedule.step()
        torch.testing.assert_close(result, parameter.detach())


def test_damaged_files_are_errors(programs: Path, tmp_path: Path) -> None:
    good = tmp_path / "good.pt"
    torch.save([torch.ones(2, 2)], good)
    data = good.read_bytes()
    place = data.index(b"\x00\x00\x80\x3f")  # the first 1.0
    torch.save({"a": [complex(1, 2)]}, tmp_path / "complex.pt")
    cases = (
        (b"no archive", "is not an archive"),
        (data[: len(data) // 2], "is not an archive"),
        (data[:place] + b"\xff" + data[place + 1 :], "is damaged"),
        ((tmp_path / "complex.pt").read_bytes(), "complex, which is not read"),
    )
    for text, message in cases:
        (tmp_path / "bad.pt").write_bytes(text)
        done = subprocess.run(
            [programs / "optimizers", tmp_path / "bad.pt", tmp_path / "out.pt"],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 1 and done.stderr and message in done.stderr
