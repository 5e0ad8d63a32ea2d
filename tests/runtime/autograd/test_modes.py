"""no_grad and the other modes: as contexts, as decorators, and around generators."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

import torch


def test_no_grad_records_nothing() -> None:
    x = torch.ones(2, requires_grad=True)
    with torch.no_grad():
        y = x * 2
        assert not torch.is_grad_enabled()
    assert not y.requires_grad
    assert y.grad_fn is None


def test_modes_nest_and_are_restored_after_errors() -> None:
    with pytest.raises(KeyError), torch.no_grad(), torch.enable_grad():
        assert torch.is_grad_enabled()
        raise KeyError
    assert torch.is_grad_enabled()


def test_decorators_with_and_without_parentheses() -> None:
    @torch.no_grad()
    def first() -> bool:
        return torch.is_grad_enabled()

    @torch.no_grad
    def second() -> bool:
        return torch.is_grad_enabled()

    @torch.inference_mode()
    def third() -> bool:
        return torch.is_inference_mode_enabled()

    assert (first(), second(), third()) == (False, False, True)
    assert torch.is_grad_enabled()
    assert first.__name__ == "first"


def test_the_mode_applies_inside_generators_and_not_to_their_callers() -> None:
    @torch.no_grad()
    def numbers() -> Iterator[bool]:
        try:
            received = yield torch.is_grad_enabled()
            assert received == "sent"
            yield torch.is_grad_enabled()
        except KeyError:
            yield torch.is_grad_enabled()

    generator = numbers()
    assert next(generator) is False
    assert torch.is_grad_enabled()
    assert generator.send("sent") is False
    assert torch.is_grad_enabled()
    assert generator.throw(KeyError()) is False
    assert torch.is_grad_enabled()
    generator.close()


def test_set_grad_enabled_works_at_once() -> None:
    torch.set_grad_enabled(False)
    assert not torch.is_grad_enabled()
    torch.set_grad_enabled(True)
    with torch.set_grad_enabled(False):
        assert not torch.is_grad_enabled()
    assert torch.is_grad_enabled()

    @torch.set_grad_enabled(False)
    def inside() -> bool:
        return torch.is_grad_enabled()

    assert torch.is_grad_enabled()
    assert inside() is False


def test_each_thread_has_its_own_mode() -> None:
    seen = []
    with torch.no_grad():
        thread = threading.Thread(target=lambda: seen.append(torch.is_grad_enabled()))
        thread.start()
        thread.join()
    assert seen == [True]


def test_inference_tensors_cannot_join_a_graph() -> None:
    x = torch.ones(2, requires_grad=True)
    with torch.inference_mode():
        made = x * 2
        assert torch.is_inference_mode_enabled()
    assert made.is_inference()
    assert not made.requires_grad
    with pytest.raises(RuntimeError, match="Inference tensors cannot be saved for backward"):
        x * made
    with pytest.raises(RuntimeError, match="Inplace update to inference tensor"):
        made.add_(1)
    with pytest.raises(RuntimeError, match="do not track version counter"):
        _ = made._version
    assert (made.clone() * x).requires_grad
    with torch.inference_mode(), torch.inference_mode(False):
        assert not torch.ones(1).is_inference()


def test_views_made_in_no_grad_mode_cannot_be_changed_while_recording() -> None:
    x = torch.ones(2, requires_grad=True) * 1
    with torch.no_grad():
        view = x[0:1]
    with pytest.raises(RuntimeError, match="created in no_grad mode"):
        view.add_(1)


def test_operators_without_gradients_need_no_graph() -> None:
    x = torch.ones(2)
    assert (x * 2).grad_fn is None
    assert (x.argmax()).requires_grad is False
    y = torch.ones(2, requires_grad=True)
    assert not y.argmax().requires_grad
    assert not (y > 0).requires_grad
