"""Bad calls raise PyTorch's kind of exception, with words that name the mistake; never a crash."""

from __future__ import annotations

import pytest

from samples.errors import REFUSALS
from samples.model import Refusal


@pytest.mark.parametrize("refusal", REFUSALS, ids=lambda refusal: refusal.title)
def test_refused(refusal: Refusal) -> None:
    with pytest.raises(refusal.error, match=refusal.pattern):
        refusal.call()
