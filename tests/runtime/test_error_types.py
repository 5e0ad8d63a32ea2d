"""Invalid calls raise PyTorch's type of exception with a message that names the mistake."""

from __future__ import annotations

import pytest

from samples.errors import REFUSALS
from samples.model import Refusal


@pytest.mark.parametrize("refusal", REFUSALS, ids=lambda refusal: refusal.title)
def test_refused(refusal: Refusal) -> None:
    with pytest.raises(refusal.error, match=refusal.pattern):
        refusal.call()
