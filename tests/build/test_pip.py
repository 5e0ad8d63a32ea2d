"""Messages after pip fails, tested with a fake pip that prints what the real one printed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.base.errors import ENVIRONMENT, BuildError
from tools.setup_helpers.package.pip import creation_hint, install

REFUSALS = {
    "error: externally-managed-environment\n\nThis environment is externally managed": "PEP 668",
    "/usr/bin/python3: No module named pip": "python -m ensurepip",
    "ERROR: Could not install packages due to an OSError: [Errno 13] Permission denied: '/usr/lib/"
    "python3.11/site-packages/x'": "use a virtual environment",
    "ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device": "free some space",
    "ERROR: Could not find a version that satisfies the requirement ninja>=1.10 (from versions: none)\n"
    "ERROR: No matching distribution found for ninja>=1.10": "PIP_INDEX_URL names another",
}


@pytest.mark.parametrize("message", REFUSALS)
def test_a_refusal_has_a_remedy(
    message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "pip"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "__main__.py").write_text(f"import sys\nsys.exit({message!r})\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with pytest.raises(BuildError) as caught:
        install("the build requirements", ["ninja>=1.10"])
    error = caught.value
    assert error.message == "pip could not install the build requirements"
    assert error.cause == message and REFUSALS[message] in error.hint
    assert error.exit_code == ENVIRONMENT


def test_an_environment_that_cannot_be_created() -> None:
    own = Path("/checkout/.venv")
    message = "Error: [Errno 13] Permission denied: '/checkout/.venv'"
    assert creation_hint(own, message).startswith("make /checkout writable, or activate")
    assert "python3-venv" in creation_hint(own, "ensurepip is not available")
