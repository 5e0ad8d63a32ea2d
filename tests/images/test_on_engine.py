"""Images of the fixture project on a real container engine, and what users run into with one."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import uuid
from pathlib import Path

import pytest

from container_engine import ROOT, Engine, chown_all, make_context, pip_files

pytestmark = [pytest.mark.docker, pytest.mark.timeout(3600)]

# What Python adds to the base image, and the bytecode of the fixture project.
MOST_MEGABYTES_ADDED = 80
DEPENDENCIES = r"^#(\d+) \[dependencies [2-9]/\d\] RUN"


def dependencies_cached(output: str) -> bool:
    """Return whether all steps that install dependencies came from the engine's cache."""
    steps = set(re.findall(DEPENDENCIES, output, re.MULTILINE))
    return bool(steps) and steps <= set(re.findall(r"^#(\d+) CACHED$", output, re.MULTILINE))


def test_the_runtime_image_runs_the_package_as_an_ordinary_user(
    engine: Engine, tiny_image: str
) -> None:
    program = "import os, tiny; print(*tiny.words(), os.getuid() != 0)"
    assert engine.run(tiny_image, "python", "-c", program) == "HELLO WORLD True\n"


def test_the_runtime_image_holds_python_and_the_wheel_alone(
    engine: Engine, tiny_image: str
) -> None:
    tools = "command -v pip pip3 c++ gcc git cmake ninja ccache; test -e /src || echo none"
    assert engine.run(tiny_image, "sh", "-c", tools) == "none\n"
    assert "No module named pip" in engine.run(tiny_image, "python", "-m", "pip", code=1)
    refused = engine.run(tiny_image, "touch", "/opt/torch/x", code=1)
    assert "Permission denied" in refused
    assert engine.megabytes(tiny_image) - engine.megabytes(engine.base) < MOST_MEGABYTES_ADDED


def test_an_edit_compiles_one_file_into_the_bytes_of_a_clean_build(
    engine: Engine, tiny_image: str, tmp_path: Path
) -> None:
    arguments = ("wheel", f"BASE={engine.base}", "SOURCE_DATE_EPOCH=1700000000")
    wheels = []
    for place, kept in (("kept", "torchsmith-test"), ("clean", f"torchsmith-test-{uuid.uuid4()}")):
        context = make_context(tmp_path / place / "tiny", kept)
        source = context / "src/kernels/twice.c"
        edit = f"\nint seen_by_test(void);\nint seen_by_test(void) {{ return {os.getpid()}; }}\n"
        source.write_text(source.read_text() + edit)
        output = engine.build(context, *arguments).stdout
        assert dependencies_cached(output)
        compiled = re.search(r" built +(\d+) object", output)
        assert compiled and (int(compiled[1]) < 4) == (place == "kept"), output
        (wheel,) = (context / "dist").glob("tiny_project-*.whl")
        wheels.append(wheel.read_bytes())
    assert wheels[0] == wheels[1]


def test_an_edit_of_the_documentation_builds_nothing(
    engine: Engine, tiny_image: str, tmp_path: Path
) -> None:
    context = make_context(tmp_path / "tiny")
    (context / "docs").mkdir()
    (context / "docs/index.md").write_text("# Edited\n")
    result = engine.build(context, "cpu", f"BASE={engine.base}", "--tag", tiny_image)
    assert dependencies_cached(result.stdout)
    assert not re.search(r"^#\d+ [\d.]+ ", result.stdout, re.MULTILINE), "a step ran"


def test_the_wheel_alone(engine: Engine, tiny_image: str, tmp_path: Path) -> None:
    context = make_context(tmp_path / "tiny")
    result = engine.build(context, "wheel", f"BASE={engine.base}")
    (wheel,) = (context / "dist").glob("tiny_project-*.whl")
    assert "manylinux" in wheel.name and wheel.name in result.stdout


def test_a_checkout_mounted_into_the_development_image(
    engine: Engine, context: Path, tmp_path: Path
) -> None:
    image, mounted = "torchsmith-test:dev", make_context(tmp_path / "tiny")
    user = chown_all(mounted, 4321)  # a user whom the image does not know
    engine.build(context, "dev", f"BASE={engine.base}", "--tag", image)
    options = ("--user", f"{user}:{user}", "--volume", f"{mounted}:/src", "--shm-size", "1g")
    script = 'python setup.py develop && cd / && python -c "import tiny; print(*tiny.words())"'
    assert engine.run(image, "sh", "-c", script, options=options).endswith("HELLO WORLD\n")
    made = mounted / "build-container"
    assert made.stat().st_uid == user and not (mounted / "build").exists()
    healthy = engine.run(image, "python", "setup.py", "doctor", "--container", options=options)
    assert "ok       toolchain" in healthy and "ok       shared-memory" in healthy


def test_a_fresh_debian_with_python_pip_and_a_compiler(
    engine: Engine, fresh_debian: str, tmp_path: Path
) -> None:
    """It has no venv, no CMake and no Ninja: setup.py gets them all."""
    mounted = make_context(tmp_path / "tiny")
    options = ("--volume", f"{mounted}:/src", "--workdir", "/src", *pip_files())
    script = (
        "python3 -m venv /tmp/x >/dev/null 2>&1 && exit 9\n"
        "python3 setup.py develop && cd / && "
        '/src/.venv/bin/python -c "import tiny; print(*tiny.words())"'
    )
    output = engine.run(fresh_debian, "sh", "-c", script, options=options)
    assert output.endswith("HELLO WORLD\n"), output


def test_an_image_without_a_compiler(engine: Engine, tiny_image: str, tmp_path: Path) -> None:
    mounted = make_context(tmp_path / "tiny")
    options = ("--user", "0", "--volume", f"{mounted}:/src", "--workdir", "/src")
    report = engine.run(
        tiny_image, "python3", "setup.py", "doctor", "--container", options=options, code=3
    )
    assert "PROBLEM  toolchain" in report and "a C++20 compiler, Python.h" in report
    assert "apt-get install -y g++" in report and "Traceback" not in report
    assert "/dev/shm has 64 MB" in report and "--shm-size=1g" in report
    built = engine.run(tiny_image, "python3", "setup.py", "build", options=options, code=3)
    assert "No module named pip" in built and "hint: " in built and "Traceback" not in built


def test_a_build_in_an_image_without_a_compiler(
    engine: Engine, fresh_debian: str, tmp_path: Path
) -> None:
    mounted = make_context(tmp_path / "tiny")
    options = ("--volume", f"{mounted}:/src", "--workdir", "/src", *pip_files())
    script = "rm /usr/bin/*gcc* /usr/bin/*g++* /usr/bin/cc /usr/bin/c++; python3 setup.py develop"
    output = engine.run(fresh_debian, "sh", "-c", script, options=options, code=3)
    assert "error: " in output and "compiler" in output.rpartition("error: ")[2]
    assert "hint: " in output and "Traceback" not in output


def test_a_full_disk_in_a_container(engine: Engine, fresh_debian: str, tmp_path: Path) -> None:
    mounted = make_context(tmp_path / "tiny")
    options = ("--volume", f"{mounted}:/src:ro", "--tmpfs", "/build:size=256k", "--workdir", "/src")
    script = "PYTHONDONTWRITEBYTECODE=1 BUILD_DIR=/build python3 setup.py doctor --container"
    report = engine.run(fresh_debian, "sh", "-c", script, options=options, code=3)
    assert "/build cannot be written to: No space left on device" in report
    assert "Traceback" not in report


def test_a_disk_that_fills_up_during_a_build_in_a_container(
    engine: Engine, fresh_debian: str, tmp_path: Path
) -> None:
    mounted = make_context(tmp_path / "tiny")
    source = mounted / "src/greet.c"
    source.write_text(source.read_text() + "char too_large[64 << 20] = {1};\n")
    volumes = ("--volume", f"{mounted}:/src", "--tmpfs", "/build:size=24m", "--workdir", "/src")
    script = "BUILD_DIR=/build python3 setup.py develop"
    options = (*volumes, *pip_files())
    output = engine.run(fresh_debian, "sh", "-c", script, options=options, code=1)
    assert "likely cause: the disk is full: the build directory /build has " in output
    assert "hint: make room there, or put the build elsewhere (BUILD_DIR, TMPDIR)" in output
    assert "Traceback" not in output


def test_gpus_without_the_toolkit_are_explained_on_the_host(engine: Engine, context: Path) -> None:
    """The checks that are skipped say what is missing, since a machine without GPUs is healthy."""
    if shutil.which("nvidia-container-runtime-hook") or shutil.which("nvidia-ctk"):
        pytest.skip("this machine has NVIDIA's container toolkit")
    refused = engine.run(engine.base, "true", options=("--gpus", "all"), code=125)
    assert "could not select device driver" in refused
    report = subprocess.run(
        [sys.executable, "setup.py", "doctor", "--container"],
        cwd=context,
        env={**os.environ, "DOCKER": engine.docker},
        capture_output=True,
        text=True,
        check=False,
    ).stdout
    assert re.search(
        r"^(warning|-) +container-toolkit .*(not installed|no NVIDIA driver)", report, re.MULTILINE
    )
    assert re.search(r"^(ok|warning|-) +gpu-driver ", report, re.MULTILINE)


def test_the_cuda_variant_compiles_a_kernel_with_the_chosen_release(
    engine: Engine, context: Path, tmp_path: Path
) -> None:
    """It takes no GPU: the toolkit comes from PyPI."""
    image = "torchsmith-test:dev-cuda"
    options = ("dev", f"BASE={engine.base}", "VARIANT=cuda", "CUDA_VERSION=13.0", "--tag", image)
    engine.build(context, *options)
    (tmp_path / "kernel.cu").write_text("__global__ void set(int* to) { *to = threadIdx.x; }\n")
    tmp_path.chmod(0o777)
    script = (
        "set -e; nvcc=$(ls /opt/build/lib/python3*/site-packages/nvidia/cu*/bin/nvcc); $nvcc --version\n"
        "$nvcc -arch=sm_90 -c kernel.cu -o kernel.o; echo visible: $NVIDIA_VISIBLE_DEVICES"
    )
    mounted = ("--volume", f"{tmp_path}:/src", "--workdir", "/src")
    output = engine.run(image, "sh", "-c", script, options=mounted)
    assert "release 13.0" in output and "visible: all" in output
    assert b"sm_90" in (tmp_path / "kernel.o").read_bytes()


def test_the_image_with_cuda_says_that_gpus_are_missing(engine: Engine) -> None:
    """The image is torch's own, since the fixture project has no CUDA."""
    image = os.environ.get("DOCKER_TEST_CUDA_IMAGE", "")
    if not image:
        pytest.skip("name the image that docker/build.sh cuda makes in DOCKER_TEST_CUDA_IMAGE")
    programs = ("--volume", f"{ROOT / '.ci'}:/programs:ro")
    output = engine.run(image, "python", "/programs/without_gpu.py", options=programs)
    assert output.rstrip().endswith("docker run --gpus all"), output
    engine.run(image, "python", "-W", "error", "/programs/smoke.py", options=programs)


def refused(engine: Engine, context: Path, *arguments: str, **environ: str) -> str:
    """Return the last lines of a build that must fail because this machine lacks something."""
    result = engine.build(context, "cpu", *arguments, code=3, **environ)
    error, hint = result.stderr.rstrip().splitlines()[-2:]
    assert error.startswith("error: ") and hint.startswith("hint: "), result.stderr
    return error


def test_a_registry_that_is_down(engine: Engine, context: Path) -> None:
    base = "registry.invalid/debian:12"
    assert f"the base image {base} cannot be fetched" in refused(engine, context, f"BASE={base}")


def test_a_package_index_that_is_down(engine: Engine, tiny_image: str, tmp_path: Path) -> None:
    context = make_context(tmp_path / "tiny")
    with (context / "pyproject.toml").open("a") as file:
        file.write("\n# another layer\n")
    dead = "http://127.0.0.1:9/simple"
    error = refused(
        engine, context, f"BASE={engine.base}", PIP_INDEX_URL=dead, PIP_EXTRA_INDEX_URL=dead
    )
    assert "pip in the image cannot reach the package index" in error


def test_a_mirror_of_debian_that_is_down(engine: Engine, tmp_path: Path) -> None:
    context = make_context(tmp_path / "tiny")
    with (context / "docker/install_packages.sh").open("a") as file:
        file.write("\n# another layer\n")
    error = refused(engine, context, f"BASE={engine.base}", http_proxy="http://127.0.0.1:9")
    assert "apt-get in the image cannot install packages" in error


def test_a_base_image_without_apt(engine: Engine, tiny_image: str, context: Path) -> None:
    name = "torchsmith-test:no-apt"
    container = "torchsmith-test-no-apt"
    made = engine.call(
        "run", "--name", container, "--network", "host", "--user", "0", tiny_image,
        "rm", "-f", "/usr/bin/apt-get",
    )  # fmt: skip
    try:
        assert made.returncode == 0, made.stdout
        assert engine.call("commit", container, name).returncode == 0
        result = engine.build(context, "cpu", f"BASE={name}", code=1)
        assert "the base image has no apt-get" in result.stderr
    finally:
        engine.call("rm", "--force", container)
        engine.call("image", "rm", "--force", name)
