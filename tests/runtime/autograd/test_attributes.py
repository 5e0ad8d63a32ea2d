"""The attributes of a tensor that belong to the graph: grad, grad_fn, requires_grad, data."""

from __future__ import annotations

import copy
import gc
import pickle
import sys
import weakref

import numpy as np
import pytest

import torch


def test_grad_returns_the_same_object() -> None:
    x = torch.ones(2, requires_grad=True)
    x.sum().backward()
    held = x.grad
    assert x.grad is held
    x.sum().backward()
    assert x.grad is held
    assert held.tolist() == [2.0, 2.0]


def test_grad_keeps_its_python_attributes() -> None:
    x = torch.ones(2, requires_grad=True)
    x.grad = torch.zeros(2)
    x.grad.note = "kept"
    gc.collect()
    assert x.grad.note == "kept"
    x.grad = None
    assert x.grad is None
    x.grad = torch.zeros(2)
    del x.grad
    assert x.grad is None


def test_assignments_to_grad_are_checked() -> None:
    x = torch.ones(2, requires_grad=True)
    for wrong, error in (
        (3, TypeError),
        (torch.ones(3), RuntimeError),
        (torch.ones(2, dtype=torch.float64), RuntimeError),
        (torch.ones(2, device="meta"), RuntimeError),
        (x, RuntimeError),
    ):
        with pytest.raises(error):
            x.grad = wrong


def test_grad_fn_returns_the_same_object_with_its_own_class() -> None:
    x = torch.ones(2, requires_grad=True)
    y = x * torch.tensor([2.0, 2.0])
    node = y.grad_fn
    assert y.grad_fn is node
    assert type(node).__name__ == "MulBackward0" == node.name()
    assert type(node) is torch._C._functions.MulBackward0
    assert isinstance(node, torch.autograd.graph.Node)
    assert node.next_functions[0][0].variable is x
    assert node.next_functions[1] == (None, 0)
    assert repr(y) == "tensor([2., 2.], grad_fn=<MulBackward0>)"
    metadata = node._input_metadata[0]
    assert (tuple(metadata.shape), metadata.dtype) == ((2,), torch.float32)
    with pytest.raises(AttributeError):
        y.grad_fn = None


def test_calling_a_node_evaluates_it() -> None:
    x = torch.tensor([2.0, 3.0], requires_grad=True)
    y = torch.tensor([5.0, 7.0], requires_grad=True)
    dx, dy = (x * y).grad_fn(torch.ones(2))
    assert dx.tolist() == [5.0, 7.0]
    assert dy.tolist() == [2.0, 3.0]
    with pytest.raises(TypeError, match="expected 1 arguments"):
        (x * y).grad_fn()


def test_saved_values_are_visible() -> None:
    x = torch.tensor([2.0], requires_grad=True)
    y = x * x
    assert y.grad_fn._saved_self is x
    raw = y.grad_fn._raw_saved_other
    assert raw.data.tolist() == [2.0]
    node = y.grad_fn
    y.backward()
    with pytest.raises(RuntimeError, match="after they have already been freed"):
        _ = node._saved_self
    summed = torch.ones(2, 3, requires_grad=True).sum(1)
    assert summed.grad_fn._saved_dim == (1,)
    assert summed.grad_fn._saved_keepdim is False
    assert summed.grad_fn._saved_self_sym_sizes == (2, 3)


def test_requires_grad_is_settable_on_leaves() -> None:
    x = torch.ones(2)
    assert x.is_leaf
    x.requires_grad = True
    assert x.requires_grad_(False) is x
    assert not x.requires_grad
    x.requires_grad_()
    y = x * 2
    assert not y.is_leaf
    assert y.requires_grad_() is y
    for change in (lambda: setattr(y, "requires_grad", False), lambda: y.requires_grad_(False)):
        with pytest.raises(RuntimeError, match="only change requires_grad flags of leaf"):
            change()
    with pytest.raises(RuntimeError, match="must be a bool"):
        x.requires_grad = 1
    for make in (
        lambda: torch.ones(2, dtype=torch.int64).requires_grad_(),
        lambda: torch.zeros(2, dtype=torch.bool, requires_grad=True),
        lambda: torch.tensor([1], requires_grad=True),
    ):
        with pytest.raises(RuntimeError, match="floating point"):
            make()


@pytest.mark.parametrize(
    "make",
    [
        lambda: torch.zeros(2, requires_grad=True),
        lambda: torch.tensor([1.0], requires_grad=True),
        lambda: torch.ones_like(torch.zeros(2), requires_grad=True),
        lambda: torch.zeros(2).new_zeros(3, requires_grad=True),
        lambda: torch.rand(2, requires_grad=True),
        lambda: torch.zeros(2, out=torch.empty(2), requires_grad=True),
        lambda: torch.zeros(2).new_tensor([1.0], requires_grad=True),
    ],
)
def test_factories_accept_requires_grad(make) -> None:
    made = make()
    assert made.requires_grad
    assert made.is_leaf


def test_detach_and_data_share_memory_but_not_the_graph() -> None:
    x = torch.ones(2, requires_grad=True)
    for cut in (x.detach(), x.data):
        assert not cut.requires_grad
        assert cut.data_ptr() == x.data_ptr()
    before = x._version
    x.data.add_(1)
    assert x._version == before
    x.detach().add_(1)
    assert x._version == before + 1
    y = x * 2
    assert y.detach_() is y
    assert y.is_leaf
    assert not y.requires_grad
    with pytest.raises(RuntimeError, match="Can't detach views in-place"):
        (x * 2)[0:1].detach_()


def test_set_data() -> None:
    x = torch.ones(2, requires_grad=True)
    x.data = torch.zeros(3)
    assert x.tolist() == [0.0] * 3
    assert x.requires_grad
    with pytest.raises(RuntimeError, match="floating point or complex"):
        x.data = torch.ones(2, dtype=torch.int64)
    with pytest.raises(TypeError):
        x.data = 3


def test_views_know_their_base() -> None:
    x = torch.ones(2, 2, requires_grad=True)
    y = x * 1
    view = y[0]
    assert view._base is y
    assert view[0]._base is y
    assert view._is_view()
    assert y._base is None
    assert view.output_nr == 0
    assert y.unbind()[1].output_nr == 1


def test_retain_grad() -> None:
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    y.retain_grad()
    assert y.retains_grad
    assert not x.retains_grad
    (y * 3).sum().backward()
    assert y.grad.tolist() == [3.0, 3.0]
    with pytest.raises(RuntimeError, match="can't retain_grad"):
        torch.ones(1).retain_grad()


def test_conversions_are_refused_or_detach() -> None:
    x = torch.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match=r"Use tensor.detach\(\).numpy\(\)"):
        x.numpy()
    with pytest.raises(RuntimeError, match=r"Use tensor.detach\(\).numpy\(\)"):
        np.asarray(x)
    assert x.numpy(force=True).tolist() == [1.0, 1.0]
    with pytest.raises(BufferError, match="require gradient"):
        x.__dlpack__()
    assert x.tolist() == [1.0, 1.0]
    with pytest.warns(UserWarning, match="copy construct"):
        assert not torch.tensor(x).requires_grad
    assert torch.as_tensor(x) is x
    assert torch.as_tensor(x, dtype=torch.float64).requires_grad


def test_copies_keep_requires_grad_and_grad() -> None:
    x = torch.ones(2, requires_grad=True)
    (x * x).sum().backward()
    copied = copy.deepcopy(x)
    assert copied.requires_grad
    assert copied.grad.tolist() == [2.0, 2.0]
    assert copied.grad is not x.grad
    assert pickle.loads(pickle.dumps(x)).requires_grad
    with pytest.raises(RuntimeError, match="graph leaves"):
        copy.deepcopy(x * 2)


def test_reference_counts_do_not_drift() -> None:
    x = torch.ones(2, requires_grad=True)
    w = torch.ones(2, requires_grad=True)
    (x * w).sum().backward()
    before = sys.getrefcount(x), sys.getrefcount(w), sys.getrefcount(None)
    for _ in range(500):
        y = (x * w).sum()
        y.backward()
        _ = x.grad, y.grad_fn, y.grad_fn.next_functions, y.requires_grad, y.is_leaf
    del y, _
    after = sys.getrefcount(x), sys.getrefcount(w), sys.getrefcount(None)
    assert after[:2] == before[:2]
    assert abs(after[2] - before[2]) < 50


def test_a_graph_is_freed_with_its_tensor() -> None:
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    node_lives = weakref.ref(y)
    z = y.sum()
    del y
    assert node_lives() is None or z is not None
    accumulator = z.grad_fn.next_functions[0][0].next_functions[0][0]
    assert accumulator.variable is x
    del z, accumulator
    gc.collect()
    assert sys.getrefcount(x) == 2


def test_a_number_has_an_edge_like_a_tensor() -> None:
    x = torch.ones(2, requires_grad=True)
    for y in (x * 2, 2 * x, x + 1, x / 2, x - 1, x.clone().mul_(2)):
        edges = y.grad_fn.next_functions
        assert len(edges) == 2 and edges[1] == (None, 0)
    assert len((x**2).grad_fn.next_functions) == 1


def test_running_statistics_keep_their_version() -> None:
    x = torch.rand(4, 3, requires_grad=True)
    mean, var = torch.zeros(3), torch.ones(3)
    legit = torch.ops.aten._native_batch_norm_legit
    results = legit(x, None, None, mean, var, True, 0.1, 1e-5)
    assert mean._version == var._version == 0 and mean.any()
    results[0].pow(3).sum().backward()
    assert x.grad is not None and x.grad.any()


def test_versions_count_resizes_that_change_something() -> None:
    x = torch.zeros(1)
    for change, version in (
        (lambda: x.resize_((1, 2)), 1),
        (lambda: x.resize_as_(torch.zeros(3)), 2),
        (lambda: x.resize_(3), 2),
        (lambda: x.resize_as_(torch.zeros(3)), 2),
    ):
        change()
        assert x._version == version
    last = torch.zeros(1, 2, 2, 2).to(memory_format=torch.channels_last)
    y = torch.zeros(1).resize_as_(last, memory_format=torch.channels_last)
    assert y.stride() == last.stride()
    with torch.inference_mode():
        inference = torch.zeros(1)
    torch.autograd.graph.increment_version(inference)


def test_a_changed_view_without_gradients_can_be_shown() -> None:
    x = torch.ones(1, requires_grad=True)
    with torch.no_grad():
        view = x[:]
        view *= 2
    assert repr(view) == "tensor([2.], grad_fn=<Invalid>)"
