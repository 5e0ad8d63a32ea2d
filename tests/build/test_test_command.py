"""`setup.py test`: the arguments passed to pytest, and its exit code."""

from __future__ import annotations

from .fixture_project import Project


def with_tests(project: Project) -> Project:
    tests = project.root / "tests"
    tests.mkdir()
    (tests / "test_one.py").write_text("def test_passes(): pass\ndef test_fails(): assert 1 == 2\n")
    return project


def test_pytest_gets_the_arguments_of_the_table(project: Project) -> None:
    old = 'runtime_version = "{version}"\n'
    new = 'test_arguments = ["-q", "-k", "passes", "tests"]\n'
    with_tests(project).edit("build_config.toml", old, old + new)
    assert project.run("test").stdout.splitlines()[-1].startswith("1 passed, 1 deselected in ")


def test_arguments_of_the_caller_replace_those_of_the_table(project: Project) -> None:
    result = with_tests(project).run("test", "--", "tests", "-q", "-k", "fails", check=False)
    assert result.returncode == 1
    assert "assert 1 == 2" in result.stdout
    assert result.stdout.splitlines()[-1].startswith("1 failed, 1 deselected in ")


def test_parallel_workers_keep_the_last_line_and_the_exit_code(project: Project) -> None:
    arguments = ["tests", "-n", "2", "--dist", "worksteal"]
    result = with_tests(project).run("test", "--", *arguments, check=False)
    assert result.returncode == 1
    assert ">   def test_fails(): assert 1 == 2" in result.stdout.replace("    ", "   ")
    assert "FAILED tests/test_one.py::test_fails" in result.stdout
    assert "1 failed, 1 passed in " in result.stdout.splitlines()[-1]
