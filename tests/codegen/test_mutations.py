"""Whatever happens to the operator files: a result, or problems that lie inside them; nothing else.

MUTATIONS=20 in the environment runs twenty times as many cases.
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
from accidents import Accident, gentle, rough
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from operator_files import NATIVE, TAGS

from tools.codegen.cli import main

TIMES = int(os.environ.get("MUTATIONS", "1"))
SECONDS_FOR_A_SAMPLE, SECONDS_FOR_A_FILE = 10, 60
_MESSAGE = re.compile(r"(?P<file>[^:\s]+\.yaml):(?P<line>\d+):(?P<column>\d+): \S")
_ROOT = re.compile(rb"- func: (?:\w+::)?_*(\w+?)_?_?_?[.(]")

many = settings(
    max_examples=300 * TIMES,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    derandomize=TIMES == 1,
    database=None,
)
few = settings(many, max_examples=8 * TIMES)


class Originals:
    """The files as they are; the families are the entries of one operator together."""

    def __init__(self, folder: Path) -> None:
        self.texts = {path.name: (folder / path.name).read_bytes() for path in (NATIVE, TAGS)}
        self.families = _families(self.texts[NATIVE.name])

    def sample(self, picks: Sequence[int]) -> bytes:
        """Families by number."""
        return b"".join(self.families[pick % len(self.families)] for pick in picks)


class Files:
    """One folder of inputs, and the output of the last run that succeeded."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.out = folder / "out"
        self.outcomes = {0: 0, 2: 0}

    def check(self, texts: dict[str, bytes], seconds: int) -> int:
        """Generate from the texts and hold the law; the exit code."""
        for name, text in texts.items():
            (self.folder / name).write_bytes(text)
        before = _snapshot(self.out)
        stderr = io.StringIO()
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(stderr):
            started = time.monotonic()
            with _limit(seconds):
                code = main(["generate", *self._arguments(texts), "--out", str(self.out)])
            assert time.monotonic() - started < seconds
        self.outcomes[code] += 1
        if code:
            assert _snapshot(self.out) == before, "an error changed the output"
            self._check_messages(stderr.getvalue(), texts)
        else:
            assert not stderr.getvalue()
        return code

    def _arguments(self, texts: dict[str, bytes]) -> list[str]:
        return [
            argument
            for name in texts
            for argument in (f"--{name.removesuffix('.yaml').replace('_', '-')}", self._path(name))
        ]

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
    """Every file with what changes when it is written."""
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
    """Ends what takes longer, with the stack of where it was."""

    def end(*_: object) -> None:
        raise TimeoutError(f"still running after {seconds} s")

    before = signal.signal(signal.SIGALRM, end)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def _families(text: bytes) -> list[bytes]:
    """The entries of one operator together: its variants refer to each other."""
    families: dict[bytes, list[bytes]] = {}
    for entry in re.split(rb"^(?=- )", text, flags=re.MULTILINE)[1:]:
        match = _ROOT.match(entry)
        families.setdefault(match[1] if match else b"", []).append(entry)
    return [b"".join(entries) for entries in families.values()]


def _befallen(text: bytes, several: Sequence[Accident]) -> bytes:
    for accident in several:
        text = accident.befall(text)
    return text


@pytest.fixture(scope="module", params=["ours", pytest.param("peer", marks=pytest.mark.peer)])
def originals(request: pytest.FixtureRequest) -> Originals:
    folder = NATIVE.parent if request.param == "ours" else request.getfixturevalue("peer_packaged")
    return Originals(folder)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Files]:
    folder = tmp_path_factory.mktemp("mutations")
    files = Files(folder)
    yield files
    print(f"{files.outcomes[0]} results, {files.outcomes[2]} refusals")
    shutil.rmtree(folder)


def test_untouched_families_are_accepted(originals: Originals, files: Files) -> None:
    for first in range(0, len(originals.families), 100):
        texts = {**originals.texts, NATIVE.name: originals.sample(range(first, first + 4))}
        assert files.check(texts, SECONDS_FOR_A_SAMPLE) == 0


@many
@given(picks=st.lists(st.integers(0, 10**6), min_size=1, max_size=3), several=gentle | rough)
def test_befallen_families_of_operators(
    originals: Originals, files: Files, picks: list[int], several: list[Accident]
) -> None:
    befallen = _befallen(originals.sample(picks), several)
    files.check({**originals.texts, NATIVE.name: befallen}, SECONDS_FOR_A_SAMPLE)


@settings(many, max_examples=60 * TIMES)
@given(several=gentle | rough)
def test_befallen_tags(originals: Originals, files: Files, several: list[Accident]) -> None:
    tags = _befallen(originals.texts[TAGS.name], several)
    files.check({NATIVE.name: originals.sample([0, 1, 2]), TAGS.name: tags}, SECONDS_FOR_A_SAMPLE)


@few
@given(name=st.sampled_from([NATIVE.name, TAGS.name]), several=gentle | rough)
def test_befallen_whole_files(
    originals: Originals, files: Files, name: str, several: list[Accident]
) -> None:
    befallen = _befallen(originals.texts[name], several)
    files.check({**originals.texts, name: befallen}, SECONDS_FOR_A_FILE)
