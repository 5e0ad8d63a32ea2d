"""Any corrupted operator file gives either a result or problems with positions, never a crash.

Set MUTATIONS=20 in the environment to run twenty times as many cases.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shutil
import signal
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from corruptions import Corruption, gentle, rough
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from operator_files import DEPRECATED, DERIVATIVES, NATIVE, TAGS

from tools.codegen.names import BaseOperatorName
from tools.drivers.cli import main

TIMES = int(os.environ.get("MUTATIONS", "1"))
SECONDS_FOR_A_SAMPLE, SECONDS_FOR_A_FILE = 5, 30
_MESSAGE = re.compile(r"(?P<file>[^:\s]+\.yaml):(?P<line>\d+):(?P<column>\d+): \S")
_NAME = re.compile(rb"- (?:func|name): (?:\w+::)?(\w+)")

many = settings(
    max_examples=200 * TIMES,
    phases=[Phase.generate, Phase.shrink],
    deadline=None,
    suppress_health_check=list(HealthCheck),
    derandomize=TIMES == 1,
    database=None,
)
few = settings(many, max_examples=4 * TIMES, phases=[Phase.generate])


class Originals:
    """The original files. A family consists of all entries of one operator."""

    def __init__(self, native: Path, autograd: Path) -> None:
        paths = [native / path.name for path in (NATIVE, TAGS)]
        paths += [autograd / path.name for path in (DERIVATIVES, DEPRECATED)]
        self.texts = {path.name: path.read_bytes() for path in paths}
        named = [name for name in self.texts if name != TAGS.name]
        self.families = {name: _families(self.texts[name]) for name in named}
        self.roots = sorted(self.families[NATIVE.name])

    def sample(self, picks: Sequence[int], of: str = NATIVE.name) -> dict[str, bytes]:
        """Return the families of the file `of` with these numbers from all files, and all tags."""
        there = [root for root in self.roots if root in self.families[of]]
        roots = sorted({there[pick % len(there)] for pick in picks})
        texts = {
            name: b"".join(families.get(root, b"") for root in roots)
            for name, families in self.families.items()
        }
        return {**texts, TAGS.name: self.texts[TAGS.name]}


class Files:
    """A folder of inputs, and the output of the last successful run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.out = folder / "out"
        self.outcomes = {0: 0, 2: 0}

    def check(self, texts: dict[str, bytes], seconds: int, *options: str) -> int:
        """Generate from the texts, check the property, and return the exit code."""
        for name, text in texts.items():
            (self.folder / name).write_bytes(text)
        before = _snapshot(self.out)
        stderr = io.StringIO()
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(stderr):
            started = time.process_time()
            with _limit(seconds):
                code = main(["generate", *self._arguments(texts), *options])
            assert time.process_time() - started < seconds
        self.outcomes[code] += 1
        if code:
            assert _snapshot(self.out) == before, "an error changed the output"
            self._check_messages(stderr.getvalue(), texts)
        else:
            assert not stderr.getvalue()
        return code

    def _arguments(self, texts: dict[str, bytes]) -> list[str]:
        arguments = ["--out", str(self.out)]
        for name in texts:
            arguments += [f"--{name.removesuffix('.yaml').replace('_', '-')}", self._path(name)]
        return arguments

    def _path(self, name: str) -> str:
        return str(self.folder / name)

    def _check_messages(self, shown: str, texts: dict[str, bytes]) -> None:
        assert all(char.isprintable() or char == "\n" for char in shown), repr(shown[:500])
        messages = [line for line in shown.split("\n") if line and not line.startswith("    ")]
        assert messages
        for message in messages:
            match = _MESSAGE.match(message)
            assert match, message
            name = Path(match["file"]).name
            assert match["file"] == self._path(name), message
            lines = texts[name].split(b"\n")
            line, column = int(match["line"]), int(match["column"])
            assert 1 <= line <= len(lines), message
            text = lines[line - 1].decode(errors="surrogateescape")
            assert 1 <= column <= len(text) + 1, message
            assert len(message) < 1000, message[:200]


def _snapshot(folder: Path) -> dict[str, tuple[int, int]]:
    """Return the size and time of every file."""
    found: dict[str, tuple[int, int]] = {}
    folders = [str(folder)] if folder.exists() else []
    while folders:
        for item in os.scandir(folders.pop()):
            if item.is_dir():
                folders.append(item.path)
            status = item.stat()
            found[item.path] = (status.st_mtime_ns, status.st_size)
    return found


@contextlib.contextmanager
def _limit(seconds: int) -> Iterator[None]:
    """Stop a call that exceeds its processor time, and show its stack."""

    def end(*_: object) -> None:
        raise TimeoutError(f"still running after {seconds} s")

    before = signal.signal(signal.SIGPROF, end)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _families(text: bytes) -> dict[str, bytes]:
    """Group the entries of one operator: its variants refer to each other."""
    families: dict[str, list[bytes]] = {}
    for entry in re.split(rb"^(?=- )", text, flags=re.MULTILINE)[1:]:
        match = _NAME.match(entry)
        root = BaseOperatorName.parse(match[1].decode()).base if match else ""
        families.setdefault(root.strip("_"), []).append(entry)
    return {root: b"".join(entries) for root, entries in families.items()}


def _corrupt(text: bytes, several: Sequence[Corruption]) -> bytes:
    for accident in several:
        text = accident.apply(text)
    return text


@pytest.fixture(scope="module", params=["ours", pytest.param("peer", marks=pytest.mark.peer)])
def originals(request: pytest.FixtureRequest) -> Originals:
    if request.param == "ours":
        return Originals(NATIVE.parent, DERIVATIVES.parent)
    packaged = request.getfixturevalue("peer_packaged")
    return Originals(packaged, packaged.parents[1] / "autograd")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Files]:
    folder = tmp_path_factory.mktemp("mutations")
    files = Files(folder)
    yield files
    print(f"{files.outcomes[0]} results, {files.outcomes[2]} refusals")
    shutil.rmtree(folder)


def test_untouched_families_are_accepted(originals: Originals, files: Files) -> None:
    for first in range(0, len(originals.roots), 100):
        texts = originals.sample(range(first, first + 4))
        assert files.check(texts, SECONDS_FOR_A_SAMPLE) == 0


@many
@given(
    name=st.sampled_from([NATIVE.name, DERIVATIVES.name, DEPRECATED.name]),
    picks=st.lists(st.integers(0, 10**6), min_size=1, max_size=3),
    several=gentle | rough,
)
def test_corrupted_families_of_operators(
    originals: Originals, files: Files, name: str, picks: list[int], several: list[Corruption]
) -> None:
    texts = originals.sample(picks, name)
    texts[name] = _corrupt(texts[name], several)
    files.check(texts, SECONDS_FOR_A_SAMPLE)


@settings(many, max_examples=40 * TIMES)
@given(several=gentle | rough)
def test_corrupted_tags(originals: Originals, files: Files, several: list[Corruption]) -> None:
    texts = originals.sample([0, 1, 2])
    texts[TAGS.name] = _corrupt(texts[TAGS.name], several)
    files.check(texts, SECONDS_FOR_A_SAMPLE)


@few
@given(
    name=st.sampled_from([NATIVE.name, TAGS.name, DERIVATIVES.name, DEPRECATED.name]),
    several=gentle | rough,
)
def test_corrupted_whole_files(
    originals: Originals, files: Files, name: str, several: list[Corruption]
) -> None:
    corrupted = _corrupt(originals.texts[name], several)
    texts = {**originals.texts, name: corrupted}
    files.check(texts, SECONDS_FOR_A_FILE, "--only", "operators")
