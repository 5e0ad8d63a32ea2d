"""Caffe2's operator ATen: the implementations, their keys, and the operators that are skipped."""

from __future__ import annotations

import re
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from collected import Collected, files_of
from operator_files import NATIVE, ROOT, TAGS

from tools.caffe2.aten_op import implementations, skip_report
from tools.caffe2.bind import Binding, bind
from tools.codegen.model import Operators
from tools.drivers import caffe2, cli
from tools.drivers.explain import operator

_GEN_OP = ROOT / "caffe2/contrib/aten/gen_op.py"


@pytest.fixture(scope="module")
def files(model: Operators) -> Collected:
    return files_of(model, "aten_op")


def _sources(files: Collected) -> str:
    return "".join(text for path, text in files.items() if path.endswith(".cpp"))


def _expressed(model: Operators) -> list[str]:
    return [f.unambiguous for f in model.functions if isinstance(bind(f), Binding)]


def test_every_operator_is_expressed_or_skipped_with_a_reason(
    model: Operators, files: Collected
) -> None:
    expressed = _expressed(model)
    lines = files["caffe2/contrib/aten/aten_op_skipped.txt"].splitlines()
    assert len(expressed) + len(lines) == len(model.functions) and len(expressed) > 500
    assert all(re.fullmatch(r"Skipping [\w.]+ Because of \S.*", line) for line in lines)
    defined = re.findall(r"^std::vector<at::Tensor> (\w+)\(const", _sources(files), re.M)
    assert sorted(defined) == sorted(expressed)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("add.out", "out arguments; outputs are blobs"),
        ("add_.Tensor", "an in-place operator: Tensor(a!) self; name an input as output instead"),
        ("randn.generator", "Arg: Generator? generator"),
        ("to.device", "Arg: Device device"),
        ("result_type.Tensor", "Ret: ScalarType"),
        ("lstm.input", "Arg: Tensor[] params, a second list of tensors"),
    ],
)
def test_reason_names_what_cannot_be_expressed(model: Operators, name: str, reason: str) -> None:
    assert f"Skipping {name} Because of {reason}" in list(skip_report(model.functions))


def test_every_key_is_unique_and_has_name_and_arity(model: Operators, files: Collected) -> None:
    rows = implementations([f for f in model.functions if isinstance(bind(f), Binding)])
    keys = [row.key for row in rows]
    assert len(set(keys)) == len(keys)
    assert {"add-2", "add-other-1", "cat-*", "conv2d-2", "conv2d-3", "sum-1", "sum-dim-1"} <= {
        *keys
    }
    assert all(re.fullmatch(r"[\w.-]+-(\d+|\*)", key) for key in keys)
    assert sorted(re.findall(r'^ *\{"([^"]+)", "', _sources(files), re.M)) == sorted(keys)


def test_an_overload_whose_key_is_taken_has_its_name_in_it(model: Operators) -> None:
    rows = implementations([f for f in model.functions if f.root_name == "std"
                            and isinstance(bind(f), Binding)])  # fmt: skip
    assert {row.key: row.function.full_name for row in rows} == {
        "std-1": "std",
        "std-dim-1": "std.dim",
        "std.correction-1": "std.correction",
    }


def test_inputs_are_tensors_and_arguments_the_rest(files: Collected) -> None:
    source = _sources(files)

    def body(name: str) -> list[str]:
        start = source.index(f"std::vector<at::Tensor> {name}(")
        lines = source[start:].partition("\n  ));")[0].splitlines()
        return [line.strip(" ,") for line in lines[2:]]

    assert body("add_Tensor") == [
        "call.tensor(0)", "call.tensor(1)", 'call.get<at::Scalar>("alpha", 1)',
    ]  # fmt: skip
    assert body("cat") == ["call.tensors(0, 0)", 'call.get<int64_t>("dim", 0)']
    assert body("conv2d")[2:4] == [
        "call.optional_tensor(2)",
        'call.get<std::vector<int64_t>>("stride", {1})',
    ]


def test_shards_stay_small_and_the_header_calls_each(files: Collected) -> None:
    shards = [path for path in files if path.endswith(".cpp")]
    header = files["caffe2/contrib/aten/aten_op.h"]
    assert all(files[path].count("\nstd::vector<at::Tensor> ") <= 130 for path in shards)
    for path in shards:
        name = Path(path).stem
        assert header.count(f"{name}()") == 2
    assert "class C10_EXPORT ATenOp" in header


def test_the_family_is_written_only_by_name(model: Operators) -> None:
    assert not [path for path in files_of(model) if "caffe2" in path]


def test_the_seeds_command_line_writes_the_files_and_prints_the_report(tmp_path: Path) -> None:
    command = [
        sys.executable,
        str(_GEN_OP),
        f"--aten_root={ROOT / 'aten'}",
        f"--template_dir={_GEN_OP.parent}",
        f"--yaml_dir={tmp_path}",  # where Declarations.yaml was
        f"--install_dir={tmp_path / 'out'}",
    ]
    outputs = []
    for _ in range(2):
        result = subprocess.run(command, cwd="/", check=True, capture_output=True, text=True)
        written = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
        outputs.append((result.stdout, written))
    assert outputs[0] == outputs[1]
    report, written = outputs[0]
    assert report == written["aten_op_skipped.txt"].decode()
    assert "aten_op.h" in written and "Skipping to.device Because of Arg: Device device" in report


def test_mistakes_are_reported_with_their_place(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = NATIVE.read_text().replace(
        "Tensor other, *, Scalar alpha", "Tensr other, *, Scalar alpha", 1
    )
    (tmp_path / "native_functions.yaml").write_text(text)
    (tmp_path / "tags.yaml").write_text(TAGS.read_text())
    out = tmp_path / "out"
    assert caffe2.main(["--yaml_dir", str(tmp_path), "--install_dir", str(out)]) == 2
    assert 'unknown type "Tensr"' in capsys.readouterr().err and not out.exists()
    missing = ["--template_dir", str(tmp_path), "--install_dir", str(out)]
    assert caffe2.main(missing) == 2
    assert "aten_op_template.h: No such file" in capsys.readouterr().err and not out.exists()


@pytest.mark.peer
def test_pytorchs_operators_within_the_budget(peer_packaged: Path, tmp_path: Path) -> None:
    yaml = f"--yaml_dir={peer_packaged}"
    command = [sys.executable, str(_GEN_OP), yaml, f"--install_dir={tmp_path / 'out'}"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = subprocess.run(command, check=True, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert after.ru_utime - before.ru_utime < 2.5
    assert len(result.stdout.splitlines()) > 1400
    header = (tmp_path / "out/aten_op.h").read_text()
    sources = "".join(path.read_text() for path in (tmp_path / "out").glob("aten_op_*.cpp"))
    keys = re.findall(r'^ *\{"([^"]+)", "', sources, re.M)
    assert len(keys) == len(set(keys)) > 1000 and "class C10_EXPORT ATenOp" in header


def test_explain_shows_the_implementation_or_the_reason(tmp_path: Path) -> None:
    inputs = ["--native-functions", str(NATIVE), "--tags", str(TAGS)]
    assert cli.main(["generate", "--only", "aten_op", *inputs, "--out", str(tmp_path)]) == 0
    text = operator(ROOT, tmp_path, ["add.Tensor"])
    assert "Caffe2's operator ATen" in text
    assert re.search(r"aten_op_\d+\.cpp:\d+ +add_Tensor", text)
    assert re.search(r"aten_op_\d+\.cpp:\d+ +add_Tensor +\(a row of its table\)", text)
    skipped = operator(ROOT, tmp_path, ["add_.Tensor"])
    assert re.search(r"aten_op_skipped\.txt:\d+ +Skipping", skipped)
