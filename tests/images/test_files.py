"""docker/ and .devcontainer/: the files agree with each other. These tests need no engine."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
DOCKERFILE = (ROOT / "docker/Dockerfile").read_text(encoding="utf-8")
# Continuation lines joined, comments left out.
LINES = re.sub(r"\\\n\s*", "", re.sub(r"^#.*\n", "", DOCKERFILE, flags=re.MULTILINE)).splitlines()
ARGS = set(re.findall(r"^ARG (\w+)", DOCKERFILE, re.MULTILINE))
SECRETS = set(re.findall(r"type=secret,id=([^, ]+)", DOCKERFILE))


def stages() -> dict[str, list[str]]:
    """Return the instructions of each stage; the first one says what it starts from."""
    found: dict[str, list[str]] = {}
    for line in filter(None, LINES):
        if start := re.fullmatch(r"FROM \S+ AS (\S+)", line):
            found[start[1]] = []
        if found:
            found[list(found)[-1]].append(line)
    return found


def ancestors(stage: str) -> list[str]:
    """Return the instructions of a stage and of the stages of this file that it starts from."""
    known = stages()
    parent = known[stage][0].split()[1]
    return [*(ancestors(parent) if parent in known else []), *known[stage]]


def test_every_stage_has_a_name_and_the_images_are_there() -> None:
    assert len(re.findall(r"^FROM ", DOCKERFILE, re.MULTILINE)) == len(stages())
    assert {"dependencies", "build", "wheel", "installed", "runtime", "dev"} <= set(stages())


def test_every_arg_is_documented_at_the_top() -> None:
    head = DOCKERFILE[: DOCKERFILE.index("\nARG ")]
    assert set(re.findall(r"^#   ([A-Z_]+) ", head, re.MULTILINE)) == ARGS


def test_dependencies_come_before_sources() -> None:
    """An edit of a source must not install the dependencies again."""
    assert not [line for line in stages()["dependencies"] if line.startswith(("COPY", "ADD"))]
    build = ancestors("build")
    copied = next(i for i, line in enumerate(build) if line.startswith("COPY . "))
    installs = [i for i, line in enumerate(build) if "install_" in line]
    assert installs and max(installs) < copied


def test_downloads_and_the_compiler_cache_are_mounted() -> None:
    for line in LINES:
        if "install_packages.sh" in line:
            assert "--mount=type=cache,target=/var/cache/apt" in line
        if "install_requirements.py" in line or "-m pip" in line:
            assert "--mount=type=cache,target=/root/.cache/pip" in line
            assert "--mount=type=secret,id=pip.conf" in line and "id=ca.crt" in line
    build = next(line for line in stages()["build"] if "setup.py bdist_wheel" in line)
    assert "--mount=type=cache,id=torchsmith-ccache,target=/ccache" in build
    # Two builds at once must not share the build directory.
    assert "--mount=type=cache,id=torchsmith-build,target=/build,sharing=locked" in build


def test_the_runtime_image_gets_python_and_the_wheel_and_another_user_than_root() -> None:
    runtime = stages()["runtime"]
    assert not runtime[0].split()[1].startswith(("build", "dependencies"))
    assert [line for line in runtime if line.startswith("COPY")] == [
        "COPY --from=installed /opt/torch /opt/torch"
    ]
    user = runtime.index("USER torch")
    assert not [line for line in runtime[user:] if line.startswith("RUN")]
    assert "--development" not in " ".join(runtime)


def test_nothing_is_fetched_but_the_base_images() -> None:
    assert not re.search(r"^#\s*syntax=", DOCKERFILE, re.MULTILINE)
    assert not [line for line in LINES if line.startswith("ADD")]
    assert not re.search(r"https?://", DOCKERFILE)


def test_bound_files_are_in_the_context() -> None:
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").split("\n")
    bound = set(re.findall(r"type=bind,source=([^,]+)", DOCKERFILE))
    assert bound
    for name in bound:
        assert (ROOT / name).is_file()
        assert f"!{name}" in ignored or name.split("/")[0] not in ignored


def test_the_context_leaves_out_what_git_ignores() -> None:
    ignored = set((ROOT / ".dockerignore").read_text(encoding="utf-8").split("\n"))
    for pattern in (ROOT / ".gitignore").read_text(encoding="utf-8").split():
        name = pattern.strip("/")
        anywhere = f"**/{name}"
        assert {name, anywhere} & ignored or re.fullmatch(r"\.\w+_cache", name), pattern
    assert {".git", ".github", ".ci", "changes", "docs", "tests"} <= ignored


def test_what_a_wheel_needs_is_in_the_context() -> None:
    ignored = set((ROOT / ".dockerignore").read_text(encoding="utf-8").split("\n"))
    needed = (
        "aten c10 cmake tools torch setup.py pyproject.toml build_config.toml README.md LICENSE"
    )
    assert not ignored & set(needed.split())


def test_the_compose_file_names_stages_and_args_that_exist() -> None:
    compose = yaml.safe_load((ROOT / "docker/compose.yaml").read_text(encoding="utf-8"))
    for name, service in compose["services"].items():
        build = service["build"]
        assert (ROOT / "docker" / build["context"]).resolve() == ROOT
        assert (ROOT / build["dockerfile"]).is_file()
        assert build["target"] in stages(), name
        assert set(build["args"]) <= ARGS, name
        assert set(build["secrets"]) == set(compose["secrets"]) == SECRETS
    for name in ("cuda", "dev-cuda"):
        service = compose["services"][name]
        assert service["build"]["args"]["VARIANT"] == "cuda"
        devices = service["deploy"]["resources"]["reservations"]["devices"]
        assert devices[0]["capabilities"] == ["gpu"]
    assert "..:/src" in service["volumes"]


def test_the_bake_file_names_stages_and_args_that_exist() -> None:
    hcl2 = pytest.importorskip(
        "hcl2", reason="python-hcl2 of the test requirements is not installed"
    )
    bake = hcl2.loads((ROOT / "docker/docker-bake.hcl").read_text(encoding="utf-8"))
    plain = json.loads(json.dumps(bake).replace('\\"', ""))  # names are quoted or not, by version
    targets = {name: row for each in plain["target"] for name, row in each.items()}
    assert {"cpu", "dev", "wheel", "cuda", "dev-cuda"} <= set(targets)
    for row in targets.values():
        assert set(row.get("args", {})) - {"__comments__"} <= ARGS
        assert row.get("target", "dev") in stages()
        assert set(row.get("inherits", [])) <= set(targets)
    variables = {name: row for each in plain["variable"] for name, row in each.items()}
    defaults = dict(re.findall(r'^ARG (\w+)="?([^"\n]*)"?$', DOCKERFILE, re.MULTILINE))
    files = {"PIP_CONFIG_FILE": "/dev/null", "PIP_CERT": "/dev/null"}
    assert {n: row["default"] for n, row in variables.items()} == {
        n: {**defaults, **files}[n] for n in variables
    }
    secrets = targets["common"]["secret"]
    assert {each.split("id=")[1].split(",")[0] for each in secrets} == SECRETS


@pytest.mark.parametrize("folder", [".devcontainer", ".devcontainer/cuda"])
def test_a_dev_container_is_the_dev_stage_with_the_checkout_mounted(folder: str) -> None:
    path = ROOT / folder / "devcontainer.json"
    container = json.loads(path.read_text(encoding="utf-8"))
    assert (path.parent / container["build"]["dockerfile"]).resolve() == ROOT / "docker/Dockerfile"
    assert (path.parent / container["build"]["context"]).resolve() == ROOT
    assert container["build"]["target"] == "dev"
    options = container["build"]["options"]
    assert {re.sub(r"--secret=id=([^,]+),.*", r"\1", each) for each in options} == SECRETS
    workdir = next(line.split()[1] for line in stages()["dev"] if line.startswith("WORKDIR"))
    assert container["workspaceFolder"] == workdir
    assert "target=/ccache" in container["mounts"][0]
    created = next(line for line in stages()["dev"] if "useradd" in line)
    assert created.split("useradd")[1].split("&&")[0].split()[-1] == container["remoteUser"]


def test_the_dev_container_with_cuda_differs_in_its_variant_and_in_asking_for_gpus() -> None:
    plain, cuda = (
        json.loads((ROOT / folder / "devcontainer.json").read_text(encoding="utf-8"))
        for folder in (".devcontainer", ".devcontainer/cuda")
    )
    assert cuda["build"].pop("args") == {"VARIANT": "cuda"}
    assert cuda["hostRequirements"].pop("gpu") == "optional"  # it starts without one, too
    places = {"dockerfile", "context"}
    for container in (plain, cuda):
        for key in ("name", "hostRequirements"):
            container.pop(key)
        container["build"] = {k: v for k, v in container["build"].items() if k not in places}
    assert plain == cuda


def documented(prefix: str) -> list[list[str]]:
    """Return the words of each command that docs/containers.md shows with this beginning."""
    page = (ROOT / "docs/containers.md").read_text(encoding="utf-8")
    lines = re.findall(rf"^(?:\$ |\| `)({re.escape(prefix)}[^`\n]*)", page, re.MULTILINE)
    assert lines, prefix
    return [shlex.split(line, comments=True) for line in lines]


def test_the_documented_calls_of_the_script_are_accepted() -> None:
    tags = set()
    for words in documented("docker/build.sh"):
        position = next((i for i, word in enumerate(words) if word.startswith("--")), len(words))
        words.insert(position, "--dry-run")  # docker build gets everything after its first option
        shown = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
        assert shown.returncode == 0, shown.stderr
        tags |= set(re.findall(r"--tag (\S+)", shown.stdout))
    run = [word for words in documented("docker run") for word in words]
    assert {word for word in run if word.startswith("torchsmith:")} <= tags


def test_the_documented_services_and_targets_exist() -> None:
    compose = yaml.safe_load((ROOT / "docker/compose.yaml").read_text(encoding="utf-8"))
    for words in documented("docker compose"):
        assert (ROOT / words[words.index("-f") + 1]).samefile(ROOT / "docker/compose.yaml")
        names = [word for word in words[words.index("-f") + 3 :] if not word.startswith("-")]
        assert names[0] in compose["services"], words
    bake = (ROOT / "docker/docker-bake.hcl").read_text(encoding="utf-8")
    for words in documented("docker buildx bake"):
        assert (ROOT / words[words.index("-f") + 1]).samefile(ROOT / "docker/docker-bake.hcl")
        for target in words[words.index("-f") + 2 :]:
            assert f'target "{target}"' in bake, words


def test_the_shell_scripts_parse() -> None:
    for path in sorted((ROOT / "docker").glob("*.sh")):
        subprocess.run(["bash", "-n", str(path)], check=True)
        assert path.stat().st_mode & 0o111, f"{path.name} cannot be executed"
