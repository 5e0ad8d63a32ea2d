"""Random calls of all functions and methods have the outcome of PyTorch in every aspect.

The aspects are those of call_outcomes.different_aspects: whether a call is refused, with what error
and message; the values, dtypes and shapes of results; their strides, versions and text, whether
they are views; warnings; gradients.

Runs with TORCH_PEER. RANDOM_CALLS sets how many calls of each overload are made, RANDOM_SEED draws
others. known_differences.txt is exact for the default calls.
"""

from __future__ import annotations

import os
import pickle
import sys
from collections import Counter
from pathlib import Path

import drawn_calls
import pytest
from call_outcomes import different_aspects, run_calls, shown

PEER = os.environ.get("TORCH_PEER")
pytestmark = [
    pytest.mark.peer,
    pytest.mark.skipif(not PEER, reason="set TORCH_PEER to a Python that has torch==2.13.0"),
]
SHORT = 4
EACH = int(os.environ.get("RANDOM_CALLS", SHORT))
SEED = int(os.environ.get("RANDOM_SEED", "1"))
KNOWN = Path(__file__).parent / "known_differences.txt"
# Eigenvectors have any phase; which one LAPACK returns depends on the processor.
NOT_COMPARED = frozenset({"linalg.eig"})

Differences = dict[tuple[str, str], list[str]]


@pytest.fixture(scope="module")
def differences(tmp_path_factory: pytest.TempPathFactory) -> Differences:
    """The calls with different outcomes, by function and aspect."""
    folder = tmp_path_factory.mktemp("calls")
    drawn, calls = drawn_calls.draws(EACH, SEED), folder / "calls.pickle"
    calls.write_bytes(pickle.dumps(drawn))
    assert PEER
    ours = run_calls(sys.executable, calls, folder / "ours.pickle", len(drawn))
    theirs = run_calls(PEER, calls, folder / "theirs.pickle", len(drawn))
    found: Differences = {}
    for call, mine, other in zip(drawn, ours, theirs, strict=True):
        for aspect in () if call[0] in NOT_COMPARED else different_aspects(mine, other):
            text = f"{call}: PyTorch {shown(other, aspect)}, here {shown(mine, aspect)}"
            found.setdefault((call[0], aspect), []).append(text)
    return found


def known() -> set[tuple[str, str]]:
    """Return the listed pairs of a function and an aspect."""
    pairs = set()
    for line in KNOWN.read_text(encoding="utf-8").splitlines():
        aspect, _, names = line.partition(":")
        if not line.startswith("#"):
            pairs.update((name, aspect) for name in names.split())
    return pairs


def test_no_call_ends_the_process(differences: Differences) -> None:
    crashes = [
        text
        for (_, aspect), texts in differences.items()
        for text in texts
        if aspect == "crash" and "here crash" in text
    ]
    assert not crashes, "\n".join(crashes)


def test_only_known_functions_differ(differences: Differences) -> None:
    unknown = {pair: texts for pair, texts in differences.items() if pair not in known()}
    counts = Counter({pair: len(texts) for pair, texts in unknown.items()})
    examples = "\n".join(texts[0] for texts in unknown.values())
    assert not unknown, f"{counts}\n{examples}"


@pytest.mark.skipif((EACH, SEED) != (SHORT, 1), reason="the list is of the default calls")
def test_list_of_known_differences_is_exact(differences: Differences) -> None:
    fixed = known() - differences.keys()
    assert not fixed, f"remove from {KNOWN.name}: {sorted(fixed)}"
