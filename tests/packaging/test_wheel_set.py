"""Library wheels, thin wheels for several Pythons, and the archive for C++, all from one native build."""

from __future__ import annotations

import email
import hashlib
import shutil
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest
from test_companion import add_companion

from checkout import Checkout, Environment, make_checkout, make_environment
from pythons import find_python

RUNNING = f"{sys.version_info[0]}.{sys.version_info[1]}"
OTHER = "3.12" if RUNNING != "3.12" else "3.13"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """A checkout after `wheels` for this Python and another, shared by tests that do not change it."""
    find_python(OTHER)
    folder = tmp_path_factory.mktemp("made")
    checkout = make_checkout(folder / "checkout", make_environment(folder / "environment"))
    checkout.setup("wheels", "--pythons", f"{RUNNING},{OTHER}")
    return checkout


def wheel(checkout: Checkout, pattern: str) -> Path:
    (found,) = (checkout.root / "dist").glob(pattern)
    return found


def names(archive: Path) -> set[str]:
    with zipfile.ZipFile(archive) as file:
        return {name for name in file.namelist() if ".dist-info/" not in name}


def metadata_of(archive: Path) -> email.message.Message:
    with zipfile.ZipFile(archive) as file:
        name = next(name for name in file.namelist() if name.endswith(".dist-info/METADATA"))
        return email.message_from_bytes(file.read(name))


def digests(checkout: Checkout) -> dict[str, str]:
    files = (checkout.root / "dist").iterdir()
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def abi(version: str) -> str:
    return f"cp{version.replace('.', '')}"


def test_one_command_makes_every_wheel_and_the_archive(made: Checkout) -> None:
    found = sorted(path.name.partition("-0.1.0-")[0] for path in (made.root / "dist").iterdir())
    assert found == ["libtiny", "tiny_project", "tiny_project", "tiny_project_libs"]
    for version in (RUNNING, OTHER):
        wheel(made, f"tiny_project-0.1.0-{abi(version)}-{abi(version)}-*.whl")
    assert wheel(made, "tiny_project_libs-0.1.0-py3-none-*.whl")


def test_library_and_thin_wheel_split_the_combined_one(made: Checkout, built: Checkout) -> None:
    built.setup("bdist_wheel")
    whole = names(wheel(built, f"tiny_project-0.1.0-{abi(RUNNING)}-*.whl"))
    library = names(wheel(made, "tiny_project_libs-*.whl"))
    thin = names(wheel(made, f"tiny_project-0.1.0-{abi(RUNNING)}-*.whl"))
    assert library | thin == whole and not library & thin
    assert {"tiny/lib/libtiny_words.so", "tiny/include/greet.h", "tiny/bin/tiny_say"} <= library
    assert all(name.endswith(".py") or name.startswith("tiny/_C.") for name in thin)


def test_a_thin_wheel_requires_exactly_its_library_wheel(made: Checkout) -> None:
    for version in (RUNNING, OTHER):
        found = metadata_of(wheel(made, f"tiny_project-0.1.0-{abi(version)}-*.whl"))
        assert found.get_all("Requires-Dist") == ["tiny-project-libs==0.1.0"]
    assert metadata_of(wheel(made, "tiny_project_libs-*.whl")).get_all("Requires-Dist") is None


def test_both_pythons_import_what_they_install(made: Checkout, tmp_path: Path) -> None:
    for python in (Path(sys.executable), find_python(OTHER)):
        folder = tmp_path / python.name
        subprocess.run([str(python), "-m", "venv", str(folder)], check=True)
        environment = Environment(folder)
        dist = str(made.root / "dist")
        install = ["install", "--no-index", "--find-links", dist, "tiny-project"]
        environment.run("-m", "pip", *install, cwd=tmp_path)
        out = environment.run("-c", "import tiny; print(*tiny.words())", cwd=tmp_path)
        assert out.split() == ["HELLO", "WORLD"]


def test_a_further_python_compiles_only_what_depends_on_it(checkout: Checkout) -> None:
    find_python(OTHER)
    checkout.setup("bdist_wheel")
    log = checkout.root / "build" / ".ninja_log"
    before = set(log.read_text().splitlines())
    checkout.setup("wheels", "--pythons", OTHER)
    added = [line.split("\t")[3] for line in log.read_text().splitlines() if line not in before]
    compiled = [output for output in added if output.endswith((".o", ".so"))]
    assert compiled and all(f"_C_{abi(OTHER)}" in each or "/_C." in each for each in compiled)


def test_a_later_build_without_the_pythons_leaves_them_out(checkout: Checkout) -> None:
    find_python(OTHER)
    checkout.setup("wheels", "--pythons", OTHER)
    checkout.setup("develop")
    assert checkout.words() == ["HELLO", "WORLD"]
    assert len(list((checkout.root / "tiny").glob("_C.*.so"))) == 1


# Loaded into every program of a build, it makes the clock go three days ahead.
LATER = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/time.h>
#include <time.h>
#define DAYS (3 * 86400)
int clock_gettime(clockid_t clock, struct timespec* now) {
  static int (*real)(clockid_t, struct timespec*);
  if (!real) real = (int (*)(clockid_t, struct timespec*))dlsym(RTLD_NEXT, "clock_gettime");
  int failed = real(clock, now);
  if (!failed && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += DAYS;
  return failed;
}
time_t time(time_t* result) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (result) *result = now.tv_sec;
  return now.tv_sec;
}
int gettimeofday(struct timeval* restrict result, void* restrict zone) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  result->tv_sec = now.tv_sec;
  result->tv_usec = now.tv_nsec / 1000;
  return 0;
}
"""


def later_clock(folder: Path) -> Path:
    """Compile the library that moves the clock, and check that it does."""
    (folder / "later.c").write_text(LATER)
    library = folder / "later.so"
    command = ["cc", "-shared", "-fPIC", "-w", "-o", str(library), str(folder / "later.c")]
    subprocess.run(command, check=True)
    shown = subprocess.run(
        ["date", "+%s"], env={"LD_PRELOAD": str(library)}, capture_output=True, check=True
    )
    assert int(shown.stdout) > time.time() + 2 * 86400
    return library


COMMANDS = ("bdist_wheel", "sdist", f"wheels --pythons {OTHER}")


def make_all(checkout: Checkout, umask: str, variables: dict[str, str]) -> dict[str, str]:
    """Run each command that packs something; return the digests by command and name."""
    made = {}
    for command in COMMANDS:
        script = f"umask {umask}; exec '{checkout.environment.python}' setup.py {command}"
        environ = checkout.environment.variables(variables)
        subprocess.run(["sh", "-c", script], cwd=checkout.root, env=environ, check=True)
        made |= {f"{command}: {name}": digest for name, digest in digests(checkout).items()}
        shutil.rmtree(checkout.root / "dist")
    return made


def test_no_archive_depends_on_folder_day_jobs_or_umask(checkout: Checkout, tmp_path: Path) -> None:
    find_python(OTHER)
    other = make_checkout(tmp_path / "a" / "longer path", make_environment(tmp_path / "env"))
    for each in (checkout, other):
        add_companion(each)
    expected = make_all(checkout, "022", {"MAX_JOBS": "4"})
    kinds = sorted({name.partition("-0.1.0")[0].partition("-2.0")[0] for name in expected})
    whole, sources, split = COMMANDS
    assert kinds == sorted(
        [f"{whole}: tiny_project", f"{whole}: small_thing", f"{sources}: tiny_project"]
        + [
            f"{split}: {name}"
            for name in ("libtiny", "small_thing", "tiny_project", "tiny_project_libs")
        ]
    )
    for path in other.root.rglob("*"):  # as in a clone made with this umask
        path.chmod(path.stat().st_mode & 0o700)
    clock = {"LD_PRELOAD": str(later_clock(tmp_path))}
    assert make_all(other, "077", {"MAX_JOBS": "1", "BUILD_DIR": "b/other", **clock}) == expected


def test_the_options_make_the_same_wheels_one_by_one(made: Checkout, checkout: Checkout) -> None:
    checkout.setup("bdist_wheel", env={"TINY_LIBRARY_WHEEL": "1"})
    checkout.setup("bdist_wheel", env={"TINY_PYTHON_WHEEL": "1"})
    for name, digest in digests(checkout).items():
        assert digests(made)[name] == digest
    output = checkout.setup(
        "bdist_wheel", env={"TINY_LIBRARY_WHEEL": "1", "TINY_PYTHON_WHEEL": "1"}, code=2
    )
    assert "TINY_LIBRARY_WHEEL and TINY_PYTHON_WHEEL exclude each other" in output


def test_the_hook_makes_the_parts_too(built: Checkout, made: Checkout, tmp_path: Path) -> None:
    for option in ("TINY_LIBRARY_WHEEL", "TINY_PYTHON_WHEEL"):
        hook = f"backend.build_wheel({str(tmp_path)!r}, {{{option!r}: '1'}})"
        call = f"from tools.setup_helpers import backend; print({hook})"
        name = built.environment.run("-c", call, cwd=built.root).split()[-1]
        assert (tmp_path / name).read_bytes() == (made.root / "dist" / name).read_bytes()


def test_a_library_wheel_of_another_version_is_refused_before_the_build(
    checkout: Checkout,
) -> None:
    (checkout.root / "dist").mkdir()
    (checkout.root / "dist/tiny_project_libs-0.0.9-py3-none-linux_x86_64.whl").touch()
    output = checkout.setup("bdist_wheel", env={"TINY_PYTHON_WHEEL": "1"}, code=2)
    assert "the library wheel in dist/ is of another version" in output
    assert "will require tiny-project-libs==0.1.0" in output
    assert "TINY_LIBRARY_WHEEL=1 python setup.py bdist_wheel" in output
    assert not (checkout.root / "build").exists()


def test_install_refuses_a_thin_wheel_without_its_library(checkout: Checkout) -> None:
    output = checkout.setup("install", env={"TINY_PYTHON_WHEEL": "1"}, code=3)
    assert "requires tiny-project-libs==0.1.0" in output and "it is not installed" in output
    checkout.setup("install", env={"TINY_LIBRARY_WHEEL": "1"})
    assert "tiny-project-libs 0.1.0 is installed here" in checkout.setup("develop", code=3)
    checkout.setup("install", env={"TINY_PYTHON_WHEEL": "1"})
    assert checkout.words(where=checkout.environment.folder) == ["HELLO", "WORLD"]


@pytest.mark.parametrize(
    ("pythons", "code", "message"),
    [
        ("3.99", 3, "Python 3.99 was not found"),
        ("twelve", 2, "'twelve' is neither a version of Python nor the path of one"),
        ("/bin/false", 3, "/bin/false is not a CPython that runs"),
    ],
)
def test_a_python_that_cannot_be_used_is_an_error(
    checkout: Checkout, pythons: str, code: int, message: str
) -> None:
    assert message in checkout.setup("wheels", "--pythons", pythons, code=code)
    assert not (checkout.root / "build").exists()


def test_an_old_python_is_refused(checkout: Checkout) -> None:
    find_python("3.9")
    output = checkout.setup("wheels", "--pythons", "3.9", code=2)
    assert "is Python 3.9; 3.11 is needed" in output


def test_the_archive_runs_from_any_folder(made: Checkout, tmp_path: Path) -> None:
    subprocess.run(
        ["unzip", "-q", str(wheel(made, "libtiny-*.zip")), "-d", str(tmp_path)], check=True
    )
    output = subprocess.run(
        [str(tmp_path / "libtiny/bin/tiny_say")], capture_output=True, text=True, check=True
    )
    assert output.stdout.split() == ["HELLO", "WORLD"]
    assert (tmp_path / "libtiny/include/greet.h").is_file()
    assert (tmp_path / "libtiny/licenses/LICENSE").is_file()
