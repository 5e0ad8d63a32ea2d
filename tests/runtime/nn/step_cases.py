"""The steps of a call that subclasses replace, and arguments by name."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import both

import torch
from torch import nn
from torch.nn.utils.stateless import NamedMemberAccessor
from torch.utils.weak import WeakTensorKeyDictionary

CASES: dict[str, Callable[[], Any]] = {}


def error(function: Callable[[], Any]) -> list[str]:
    """Return the type and the message of the exception that a call raises."""
    try:
        function()
    except Exception as raised:
        return [type(raised).__name__, str(raised)]
    return ["nothing raised"]


def recurrent_states() -> Any:
    """Return the shapes that recurrent layers expect, and their errors."""
    lstm = nn.LSTM(3, 4, 2, bidirectional=True, proj_size=2)
    gru = nn.GRU(3, 4, batch_first=True)
    x, packed = torch.zeros(5, 2, 3), torch.tensor([3, 1])
    h, c = torch.zeros(4, 2, 2), torch.zeros(4, 2, 4)
    order = torch.tensor([1, 0])
    return [
        lstm.get_expected_hidden_size(x, None),
        lstm.get_expected_cell_size(x, None),
        lstm.get_expected_hidden_size(x, packed),
        gru.get_expected_hidden_size(x, None),
        [tuple(state.shape) for state in lstm.permute_hidden((h, c), order)],
        gru.permute_hidden(torch.tensor([[[1.0], [2.0]]]), order).tolist(),
        gru.permute_hidden(h, None) is h,
        error(lambda: lstm.check_forward_args(x, (h, c), None)),
        error(lambda: lstm.check_forward_args(x, (c, h), None)),
        error(lambda: lstm.check_forward_args(x[..., :2], (h, c), None)),
        error(lambda: gru.check_forward_args(x, torch.zeros(1, 2, 4), None)),
        error(lambda: gru.check_hidden_size(h, (1, 2, 4))),
        error(lambda: gru.check_hidden_size(h, (1, 2, 4), "{} is not {}")),
        error(lambda: lstm(x, (c, h))),
        error(lambda: gru(x[..., :2], h)),
    ]


def merged_masks() -> Any:
    """Return the masks of attention as one."""
    layer, query = nn.MultiheadAttention(4, 2), torch.zeros(2, 3, 4)
    pairs, keys = torch.tensor([[True, False, False]] * 3), torch.tensor([[False, False, True]] * 2)
    numbers = torch.arange(9.0).view(3, 3)
    found = []
    for attention in (None, pairs, numbers, numbers.expand(4, 3, 3)):
        for padding in (None, keys):
            mask, kind = layer.merge_masks(attention, padding, query)
            found.append([mask if mask is None else mask.tolist(), kind])
    return found


def losses_by_name() -> Any:
    x, y, one = torch.tensor([0.5, 0.25]), torch.tensor([1.0, -1.0]), torch.ones(2)
    return [
        nn.HingeEmbeddingLoss()(input=x, target=y).item(),
        nn.MarginRankingLoss(0.5)(input1=x, input2=y, target=one).item(),
        nn.CosineEmbeddingLoss()(input1=x[None], input2=y[None], target=one[:1]).item(),
    ]


def weak_dictionaries() -> Any:
    x, y = torch.ones(1), torch.zeros(1)
    known = WeakTensorKeyDictionary({x: [1]})
    shallow, deep = copy.copy(known), copy.deepcopy(known)
    joined = known | {y: [2]}
    known |= {y: [3]}
    return [
        shallow[x] is known[x],
        deep[x] is known[x],
        deep[x],
        len(joined),
        known[y],
        [reference() is x for reference in shallow.keyrefs()],
    ]


def accessors() -> Any:
    model = nn.Sequential(nn.Linear(2, 1), nn.Linear(1, 1, bias=False))
    accessor = NamedMemberAccessor(model)
    accessor.set_tensors_dict({"0.weight": torch.zeros(1, 2)})
    (old,) = accessor.swap_tensors(["0.weight"], [torch.ones(1, 2)])
    accessor.del_tensors(["0.bias"])
    before = model[1]
    swapped = accessor.swap_submodule("1", nn.Identity())
    return [
        old.tolist(),
        model[0].weight.tolist(),
        hasattr(model[0], "bias"),
        swapped is before,
        type(accessor.get_submodule("1")).__name__,
        error(lambda: accessor.del_tensor("0.bias"))[0],
    ]


def devices_of_no_build() -> Any:
    return [error(getattr(nn.Linear(1, 1), name)) for name in ("ipu", "xpu")]


CASES |= {
    function.__name__: function
    for function in (
        recurrent_states,
        merged_masks,
        losses_by_name,
        weak_dictionaries,
        accessors,
        devices_of_no_build,
    )
}

if __name__ == "__main__":
    both.record(CASES)
