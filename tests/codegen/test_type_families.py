"""The Type families: their methods are those of Declarations.yaml, and each type has a class."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from collected import Collected, files_of
from operator_files import NATIVE, ROOT, TAGS

from tools.base.file_manager import FileManager
from tools.codegen.model import Operators
from tools.codegen.read import OperatorFile, build_operators
from tools.drivers import aten, legacy_types
from tools.drivers.cli import main
from tools.drivers.explain import operator
from tools.legacy_types.model import read_lists, read_method
from tools.setup_helpers.generation.stages import StageContext
from tools.setup_helpers.table.config_reader import load

_DIRECTORY = "aten/src/ATen/"
_METHOD = re.compile(r"^  (?:virtual )?(\S.*? (\w+)\((.*)\) const)(?: = 0| override);$", re.M)


def _joined(files: Collected, family: str) -> str:
    return "".join(files[path] for path in files if path.startswith(_DIRECTORY + family))


def _declarations(model: Operators) -> list[dict[str, Any]]:
    """Return the records of Declarations.yaml."""
    files = Collected()
    aten.declarations_file(model, files)
    lines = files[f"{_DIRECTORY}Declarations.yaml"].split("\n")
    return [json.loads(line[2:]) for line in lines if line.startswith("- ")]


def _check_against_declarations(model: Operators) -> Collected:
    """Check that the classes have the methods of Declarations.yaml's records, each once."""
    files = files_of(model, "legacy_types")
    methods = [read_method(record) for record in _declarations(model)]
    assert len(methods) == len(model.functions)
    expected = Counter(method.declaration() for method in methods)
    for header in ("TypeExtendedInterface", "TypeDefault", "MSNPUType", "XLAType"):
        found = [match[0] for match in _METHOD.findall(files[f"{_DIRECTORY}{header}.h"])]
        assert Counter(found) == expected, header
    overloads = Counter((m.name, tuple(type for type, _ in m.parameters)) for m in methods)
    assert [each for each, count in overloads.items() if count > 1] == []
    operators = sorted(function.unambiguous for function in model.functions)
    for owner, call in (("TypeDefault", "call"), ("MSNPUType", "redispatch")):
        called = re.findall(rf"return at::_ops::(\w+)::{call}\(", _joined(files, f"{owner}_"))
        assert sorted(called) == operators
    for name, key in (("CPU", "CPU"), ("CUDA", "CUDA"), ("SparseCPU", "SparseCPU")):
        own = sorted(f.unambiguous for f in model.functions if model.kernel(f, key) is not None)
        called = re.findall(r"::_ops::(\w+)::redispatch\(", _joined(files, f"{name}TypeDefault_"))
        assert sorted(called) == own, name
        header = files[f"{_DIRECTORY}{name}TypeDefault.h"]
        assert len(_METHOD.findall(header)) == len(own)
    return files


def test_methods_are_those_of_declarations_yaml(model: Operators) -> None:
    files = _check_against_declarations(model)
    body = _joined(files, "CPUTypeDefault_")
    assert (
        "at::Tensor & CPUTypeDefault::add_out(at::Tensor & out, const at::Tensor & self, "
        "const at::Tensor & other, const at::Scalar & alpha) const {" in body
    )
    assert (
        "add_out::redispatch(c10::DispatchKeySet(c10::DispatchKey::CPU), self, other, alpha, out);"
        in body
    )


@pytest.mark.peer
def test_methods_of_pytorchs_whole_file_are_those_of_its_declarations(peer_packaged: Path) -> None:
    native, tags = peer_packaged / "native_functions.yaml", peer_packaged / "tags.yaml"
    model = build_operators(OperatorFile.read(native), OperatorFile.read(tags))
    assert len(model.functions) > 3000
    files = _check_against_declarations(model)
    assert "_ops::_coalesce::redispatch(" in _joined(files, "SparseCPUTypeDefault_")
    # The result of an operator that takes its written argument as a constant is constant, too.
    assert (
        "const at::Tensor & resize_(const at::Tensor & self" in files[f"{_DIRECTORY}TypeDefault.h"]
    )


def test_factories_take_options_and_complete_them(model: Operators) -> None:
    body = _joined(files_of(model, "legacy_types"), "TypeDefault_")
    zeros = body[body.index("Tensor TypeDefault::zeros(") :].partition("\n}\n")[0]
    assert zeros.startswith(
        "Tensor TypeDefault::zeros(at::IntArrayRef size, const at::TensorOptions & options) const {"
    )
    assert "completed = complete(options);" in zeros and "completed.device_opt()" in zeros
    like = body[body.index("Tensor TypeDefault::zeros_like(") :].partition("\n}\n")[0]
    assert "complete" not in like and "options.device_opt()" in like


def test_every_back_end_has_a_class_for_each_element_type(model: Operators) -> None:
    files = files_of(model, "legacy_types")
    lists = read_lists(ROOT)
    assert [b.key for b in lists.extensions] == ["MAIA", "XLA"]
    for group, backends in (("CPU", (*lists.cpu, *lists.extensions)), ("CUDA", lists.cuda)):
        registered = files[f"{_DIRECTORY}Register{group}.cpp"]
        for backend in backends:
            for scalar_type in lists.scalar_types:
                name = f"{backend.name}{scalar_type}Type"
                header = files[f"{_DIRECTORY}{name}.h"]
                assert f"struct TORCH_API {name} final : public {backend.base} {{" in header
                assert f"registerType(std::make_unique<{name}>());" in registered


def test_the_families_are_written_only_by_name(model: Operators) -> None:
    files = files_of(model)
    assert not [path for path in files if "Type.h" in path and "VariableType" not in path]
    assert "dispatch_type" not in files[f"{_DIRECTORY}core/TensorMethods.inc"]


@pytest.mark.parametrize("option", ["ON", "OFF"])
def test_the_option_adds_the_methods_of_tensors(option: str, tmp_path: Path) -> None:
    config = load(ROOT)
    stage = next(stage for stage in config.stages if stage.name == "aten")
    files = FileManager(tmp_path, stage.directory)
    options = {"BUILD_LEGACY_TYPES": option}
    aten.stage(StageContext(config, ROOT, files, options, {}, {}, stage.limits))
    files.commit(())
    text = (tmp_path / _DIRECTORY / "core/TensorMethods.inc").read_text()
    declaration = "const struct TypeExtendedInterface& dispatch_type() const;"
    assert (declaration in text) == (option == "ON")
    assert (tmp_path / _DIRECTORY / "Declarations.yaml").exists() == (option == "ON")


def test_explain_shows_the_methods_of_types(tmp_path: Path) -> None:
    inputs = ["--native-functions", str(NATIVE), "--tags", str(TAGS)]
    assert main(["generate", *inputs, "--out", str(tmp_path), "--only", "legacy_types"]) == 0
    text = operator(ROOT, tmp_path, ["add.Tensor"])
    step = text[text.index("method of tensor.type()") :].partition("\n\n")[0]
    lines = re.findall(r"^ +(\S+):(\d+) +(\w+)::add$", step, re.M)
    owners = [owner for _, _, owner in lines]
    assert owners == ["CPUTypeDefault", "CUDATypeDefault", "MSNPUType", "TypeDefault", "XLAType"]
    for path, line, owner in lines:
        shown = (ROOT / path).read_text().split("\n")[int(line) - 1]
        assert f" {owner}::add(const at::Tensor & self, const at::Tensor & other" in shown


def test_both_stages_together_write_what_the_command_writes(
    model: Operators, tmp_path: Path
) -> None:
    config = load(ROOT)
    shared: dict[str, Any] = {}
    for name, stage in (
        ("legacy_types", legacy_types.stage),
        ("legacy_types_cuda", legacy_types.cuda_stage),
    ):
        row = next(each for each in config.stages if each.name == name)
        files = FileManager(tmp_path, row.directory)
        stage(StageContext(config, ROOT, files, {}, {}, shared, row.limits))
        files.commit(())
    made = {str(p.relative_to(tmp_path)): p.read_text() for p in tmp_path.rglob("*.*")}
    assert made == files_of(model, "legacy_types")
