"""Ordinary edits of operator files and templates, through the build's stages.

After each edit the files equal those of a clean run, and only files that mention the edited
operator were written.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from operator_files import DEPRECATED, DERIVATIVES, DOCS, NATIVE, ROOT, TAGS
from staged_tree import STAGES, StagedTree

from tools.base.errors import BuildError
from tools.drivers import context

TEMPLATES = sorted(
    path.relative_to(ROOT)
    for folder in ("aten/src/ATen/templates", "tools/autograd/templates")
    for path in (ROOT / folder).iterdir()
    if path.suffix != ".in"  # Python: what looks like a comment of C++ is text
)
DECLARATIONS = "aten/src/ATen/core/TensorMethods.inc"
ABC = """\
- func: abc(Tensor self, int n=1) -> Tensor
  variants: {variants}
  dispatch:
    CompositeExplicitAutograd: abc
"""
METHOD, FUNCTION = ABC.format(variants="method"), ABC.format(variants="function")


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> StagedTree:
    monkeypatch.setattr(context, "_ROOT", tmp_path)
    tree = StagedTree(tmp_path)
    assert tree.run() == set(STAGES)
    assert len(tree.files()) > 100
    return tree


@pytest.mark.parametrize(
    "file", [NATIVE, TAGS, DERIVATIVES, DEPRECATED, DOCS], ids=lambda f: f.name
)
def test_comments_and_blank_lines_write_nothing(tree: StagedTree, file: Path) -> None:
    for place, text in ((0, "# A remark.\n"), (1, "\n"), (-1, "\n# A remark.\n\n")):

        def add_comment(tree: StagedTree, place: int = place, text: str = text) -> None:
            pieces = re.split(r"^(?=- )", tree.read(file), flags=re.MULTILINE)
            pieces[place] += text
            tree.write(file, "".join(pieces))

        edited = tree.after(add_comment)
        assert edited.ran
        assert not edited.written and not edited.deleted
    assert not tree.after(lambda _: None).ran


def test_comments_of_templates_write_nothing(tree: StagedTree) -> None:
    def add_comment(tree: StagedTree) -> None:
        for template in TEMPLATES:
            file = tree.root / template
            text = re.sub(r"^(?=//@sec)", "// A remark.\n", file.read_text(), flags=re.MULTILINE)
            file.write_text(f"// What this makes.\n{text}    // The end.\n")

    edited = tree.after(add_comment)
    assert edited.ran == set(STAGES) - {"jit", "annotated"}
    assert not edited.written and not edited.deleted


def test_documentation_in_a_template_reaches_the_generated_file(tree: StagedTree) -> None:
    template = ROOT / "aten/src/ATen/templates/Operator.h"
    edited = tree.after(
        lambda tree: tree.substitute(template, "^struct", "/// One operator.\nstruct")
    )
    assert edited.written == {path for path in tree.files() if path.endswith("_ops.h")}
    text = tree.files()["aten/src/ATen/ops/add_ops.h"]
    assert text.count("/// One operator.\n") == text.count("struct TORCH_API") > 1


def appended(text: str) -> Callable[[StagedTree], None]:
    return lambda tree: tree.write(NATIVE, tree.read(NATIVE) + text)


@pytest.mark.parametrize("file", [NATIVE, DERIVATIVES, DEPRECATED], ids=lambda f: f.name)
def test_reordered_entries_write_only_files_that_list_them(tree: StagedTree, file: Path) -> None:
    text, files = tree.read(file), tree.files()
    pieces = re.split(r"^(?=- )", text, flags=re.MULTILINE)
    last = re.findall(r"^- \w+: ([a-z]+)", text, flags=re.MULTILINE)[-1]
    group = [piece for piece in pieces if re.match(rf"- \w+: {last}_?[.(]", piece)]
    others = [piece for piece in pieces if piece not in group]
    edited = tree.after(lambda tree: tree.write(file, "".join(group + others)))
    assert edited.ran and not edited.deleted
    assert not any("/ops/" in path for path in edited.written)
    assert edited.only_mentions(last, last.title())
    again = tree.after(lambda tree: tree.write(file, text))
    assert again.written == edited.written
    assert tree.files() == files


def test_operator_renamed_with_its_derivative(tree: StagedTree) -> None:
    def rename(tree: StagedTree) -> None:
        for file in (NATIVE, DERIVATIVES):
            tree.substitute(file, r"\bexp(?=_?[.(])", "grow")
        tree.substitute(DOCS, "^- exp:", "- grow:")

    edited = tree.after(rename)
    assert "aten/src/ATen/ops/exp.h" in edited.deleted
    assert "aten/src/ATen/ops/grow.h" in edited.written
    assert edited.only_mentions("exp", "Exp", "grow", "Grow")
    files = tree.files()
    assert not any("_ops::exp:" in text or "ExpBackward" in text for text in files.values())
    assert any("GrowBackward0::apply" in text for text in files.values())
    assert len(edited.changed) < 60


def test_operator_removed_with_its_derivative(tree: StagedTree) -> None:
    def remove(tree: StagedTree) -> None:
        for file in (NATIVE, DERIVATIVES):
            tree.substitute(file, r"^- \w+: exp_?[.(].*\n(?:(?!- ).*\n)*", "")
        tree.substitute(DOCS, r"^- exp:.*\n(?:(?!- ).*\n)*", "")

    edited = tree.after(remove)
    own = {path for path in edited.before if re.search(r"/ops/exp(?:_\w+)?\.h$", path)}
    assert len(own) > 3
    assert own == {path for path in edited.deleted if "/ops/exp" in path}
    assert edited.only_mentions("exp", "Exp")
    assert not any("_ops::exp:" in text or "ExpBackward" in text for text in tree.files().values())


def test_new_overload_writes_the_files_of_its_name(tree: StagedTree) -> None:
    overload = METHOD.replace("abc", "clamp.Extra", 1).replace("int n=1", "str n")
    edited = tree.after(appended(overload))
    assert not edited.deleted
    assert edited.only_mentions("clamp")
    headers = {Path(path).name for path in edited.written if "/ops/" in path}
    assert {"clamp.h", "clamp_ops.h", "clamp_native.h"} <= headers
    assert all(name.startswith("clamp") for name in headers)


def test_changed_default_writes_only_files_that_show_it(tree: StagedTree) -> None:
    def change(tree: StagedTree) -> None:
        pattern = r"(?<= add\.Scalar\(Tensor self, Scalar other, Scalar alpha=)1"
        for file in (NATIVE, DERIVATIVES):
            tree.substitute(file, pattern, "2")

    edited = tree.after(change)
    assert {"aten/src/ATen/ops/add.h", DECLARATIONS} <= edited.written
    assert not edited.deleted
    assert edited.only_mentions("add")
    headers = {Path(path).name for path in edited.written if "/ops/" in path}
    assert all(re.match(r"add[._]", name) for name in headers)


def test_method_writes_no_header_that_kernels_include(tree: StagedTree) -> None:
    edited = tree.after(appended(METHOD))
    assert DECLARATIONS in edited.written
    assert edited.only_mentions("abc")
    assert "namespace at::methods" in tree.files()["aten/src/ATen/ops/abc.h"]
    headers = {path for path in edited.written if path.endswith(".h") and "/abc" not in path}
    assert {Path(path).name for path in headers} <= {
        *("NativeFunctions.h", "Functions.h", "Operators.h", "MethodOperators.h"),
        *("RedispatchFunctions.h", "RegistrationDeclarations.h", "aten_interned_strings.h"),
        *("CompositeExplicitAutogradFunctions_inl.h", "NativeMetaFunctions.h"),
    }


def test_named_results_change_one_file_of_bindings(tree: StagedTree) -> None:
    edited = tree.after(appended(FUNCTION.replace("-> Tensor", "-> (Tensor left, Tensor right)")))
    assert edited.only_mentions("abc")
    python = {Path(path).name for path in edited.written if "/python_" in path}
    assert python == {"python_return_types.cpp", "python_torch_functions_0.cpp"}


def test_function_becomes_method_and_function_again(tree: StagedTree) -> None:
    tree.after(appended(FUNCTION))
    first = tree.files()

    for old, new in ((FUNCTION, METHOD), (METHOD, FUNCTION)):
        text = tree.read(NATIVE).replace(old, new)
        edited = tree.after(lambda tree, text=text: tree.write(NATIVE, text))  # type: ignore[misc]
        assert {DECLARATIONS, "aten/src/ATen/ops/abc.h"} <= edited.written
        assert edited.only_mentions("abc")
        assert ("abc" in tree.files()[DECLARATIONS]) == (new == METHOD)
    assert tree.files() == first


def test_edited_docstring_writes_the_shards_of_its_operator(tree: StagedTree) -> None:
    def edit(tree: StagedTree, pattern: str) -> None:
        tree.substitute(DOCS, rf"(?<=^- exp: \|\n){pattern}", r"\g<0> Really.")

    edited = tree.after(lambda tree: edit(tree, r"    Compute .*\n\n    .*"))
    assert edited.ran == {"python", "pyi"}
    assert not edited.deleted
    assert edited.only_mentions("THPVariable_exp")
    (functions,) = (Path(path).name for path in edited.written)
    assert functions.startswith("python_torch_functions_")

    summary = tree.after(lambda tree: edit(tree, "    Compute .*"))
    assert {re.sub(r"_\d+", "", Path(path).name) for path in summary.written} == {
        *("python_torch_functions.cpp", "python_variable_methods.cpp"),
        *("__init__.pyi", "_VariableFunctions.pyi"),
    }
    assert summary.only_mentions("THPVariable_exp", "def exp")


def test_operator_without_a_docstring_shows_its_signature(tree: StagedTree) -> None:
    tree.after(appended(FUNCTION))
    texts = [text for text in tree.files().values() if "THPVariable_abc" in text]
    assert len(texts) == 1 and '"abc(input, n=1) -> Tensor"}' in texts[0]


def test_formulas_declare_the_methods_that_they_call(tree: StagedTree) -> None:
    def call(tree: StagedTree) -> None:
        tree.substitute(
            DERIVATIVES, r"(?<=^- name: neg\(Tensor self\) -> Tensor\n  self: ).*", "grad.abs()"
        )

    edited = tree.after(call)
    (nodes,) = (p for p in edited.written if re.fullmatch(r".*/Functions_\d+\.cpp", p))
    head = tree.files()[nodes].partition("\n\n")[0]
    assert "at::Tensor abs() const;" in head
    assert "add" not in head
    other = tree.after(appended(METHOD))
    assert nodes not in other.written


def test_a_file_without_entries_is_an_error(tree: StagedTree) -> None:
    files = tree.files()
    for file in (NATIVE, TAGS, DERIVATIVES, DEPRECATED, DOCS):
        text = tree.read(file)
        for emptied in ("", "# A remark.\n"):
            tree.write(file, emptied)
            with pytest.raises(BuildError) as caught:
                tree.run()
            assert f"{file.relative_to(ROOT)}:1:1: the file has no entries" in caught.value.cause
            assert caught.value.cause.count(".yaml:") == 1
            assert tree.files() == files
        tree.write(file, text)
        assert not tree.run()
