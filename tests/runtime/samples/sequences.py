"""Samples of attention, of recurrent layers and of packed sequences."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from .model import FLOATS, Maker, Operator, Sample, sample

aten = torch.ops.aten
SOFT = (1e-4, 1e-5)
LOW = (3e-2, 3e-2)


def heads(make: Maker, batch: int, count: int, length: int, width: int) -> torch.Tensor:
    """Return [batch, heads, length, width], with the strides that a projection produces."""
    return make(batch, length, count, width, low=-2, high=2).transpose(1, 2)


def attentions(make: Maker) -> Iterator[Sample]:
    q, k, v = (heads(make, 2, 3, 7, 8) for _ in range(3))
    long_k, long_v = heads(make, 2, 3, 300, 8), heads(make, 2, 3, 300, 8)
    yield sample(q, k, v)
    yield sample(q, k, v, is_causal=True)
    yield sample(q, long_k, long_v, scale=0.3)
    yield sample(heads(make, 1, 2, 130, 16), *(heads(make, 1, 2, 130, 16) for _ in range(2)))
    yield sample(
        heads(make, 1, 1, 300, 4), *(heads(make, 1, 1, 300, 4) for _ in range(2)), is_causal=True
    )
    yield sample(q, k, v, make(7, 7))
    yield sample(q, k, v, make(2, 1, 7, 7))
    mask = torch.ones(7, 7, dtype=torch.bool).tril(-1)
    yield sample(q, k, v, mask)
    yield sample(q, k, v, torch.ones(2, 1, 1, 7, dtype=torch.bool))
    yield sample(q[0], k[0], v[0], is_causal=True)
    yield sample(q, k[:, :1], v[:, :1], enable_gqa=True)
    yield sample(make(4, 5), make(6, 5), make(6, 5))


def flash(make: Maker) -> Iterator[Sample]:
    for each in list(attentions(make))[:7]:
        q, k, v, *mask = each.args
        keywords = dict(each.kwargs)
        causal = keywords.pop("is_causal", False)
        if mask:
            keywords["attn_mask"] = mask[0]
        yield Sample((q, k, v, 0.0, causal), keywords)


def flash_gradients(make: Maker) -> Iterator[Sample]:
    for each in flash(make):
        q, k, v, dropout, causal = each.args
        out, lse = aten._scaled_dot_product_flash_attention_for_cpu(*each.args, **each.kwargs)
        yield Sample((torch.ones_like(out), q, k, v, out, lse, dropout, causal), each.kwargs)


def weights(make: Maker, gates: int, inputs: int, hidden: int, biases: bool) -> list[torch.Tensor]:
    shapes: list[tuple[int, ...]] = [(gates * hidden, inputs), (gates * hidden, hidden)]
    shapes += [(gates * hidden,)] * 2 if biases else []
    return [make(*shape, low=-0.3, high=0.3) for shape in shapes]


def cells(gates: int, cell_state: bool = False):
    def samples(make: Maker) -> Iterator[Sample]:
        for biases in (True, False):
            state = make(4, 5, low=-1, high=1)
            hx = [state, make(4, 5, low=-1, high=1)] if cell_state else state
            yield Sample((make(4, 3, low=-1, high=1), hx, *weights(make, gates, 3, 5, biases)))

    return samples


def networks(gates: int, cell_state: bool, packed: bool):
    """Return padded or packed sequences for one and two layers and directions."""

    def states(make: Maker, count: int, batch: int) -> object:
        state = make(count, batch, 5, low=-1, high=1)
        return [state, make(count, batch, 5, low=-1, high=1)] if cell_state else state

    def samples(make: Maker) -> Iterator[Sample]:
        for layers, directions, biases in ((1, 1, True), (2, 2, True), (1, 2, False)):
            params = []
            for layer in range(layers):
                inputs = 5 * directions if layer else 3
                for _ in range(directions):
                    params += weights(make, gates, inputs, 5, biases)
            count = layers * directions
            options = (params, biases, layers, 0.0, True, directions == 2)
            if packed:
                sizes = torch.tensor([4, 4, 2, 1])
                data = make(11, 3, low=-1, high=1)
                yield Sample((data, sizes, states(make, count, 4), *options))
                continue
            yield Sample((make(6, 4, 3, low=-1, high=1), states(make, count, 4), *options, False))
            yield Sample((make(4, 6, 3, low=-1, high=1), states(make, count, 4), *options, True))

    return samples


def padded(make: Maker) -> Iterator[Sample]:
    yield sample(make(5, 3, 2), torch.tensor([5, 2, 2]), False)
    yield sample(make(3, 5, 2), torch.tensor([4, 3, 1]), True)


def packed(make: Maker) -> Iterator[Sample]:
    yield sample(make(9, 2), torch.tensor([3, 3, 1, 1, 1]), False, 0.5, -1)
    yield sample(make(8, 2), torch.tensor([3, 2, 2, 1]), True, 0, 6)


def packed_gradients(make: Maker) -> Iterator[Sample]:
    yield sample(make(9, 2), [5, 3, 2], torch.tensor([3, 3, 1, 1, 1]), False)
    yield sample(make(8, 2), [3, 5, 2], torch.tensor([3, 2, 2, 1]), True)


def classes(make: Maker) -> Iterator[Sample]:
    yield sample(make.indices(5, high=4))
    yield sample(make.indices(2, 3, high=4), 6)
    yield sample(make.indices(high=4), 4)
    yield sample(make.indices(0, high=4), 4)


def recurrent(
    name: str, gates: int, cell_state: bool = False, covers: tuple[str, ...] = ()
) -> list[Operator]:
    return [
        Operator(
            f"{name}_cell",
            cells(gates, cell_state),
            FLOATS,
            method=False,
            tolerance=SOFT,
            low_tolerance=LOW,
        ),
        Operator(
            name,
            networks(gates, cell_state, packed=False),
            FLOATS,
            method=False,
            tolerance=SOFT,
            low_tolerance=LOW,
            covers=covers,
        ),
        Operator(
            name,
            networks(gates, cell_state, packed=True),
            FLOATS,
            method=False,
            tolerance=SOFT,
            low_tolerance=LOW,
            meta=False,
            variant="packed",
        ),
    ]


TABLE = [
    Operator(
        "scaled_dot_product_attention",
        attentions,
        FLOATS,
        torch._C._nn.scaled_dot_product_attention,
        method=False,
        tolerance=SOFT,
        low_tolerance=LOW,
        covers=(
            "_fused_sdp_choice",
            "_scaled_dot_product_attention_math",
            "_scaled_dot_product_efficient_attention",
            "_scaled_dot_product_efficient_attention_backward",
        ),
    ),
    Operator(
        "_scaled_dot_product_flash_attention_for_cpu",
        flash,
        FLOATS,
        aten._scaled_dot_product_flash_attention_for_cpu,
        method=False,
        tolerance=(1e-3, 1e-4),
        low_tolerance=LOW,
    ),
    Operator(
        "_scaled_dot_product_flash_attention_for_cpu_backward",
        flash_gradients,
        FLOATS,
        aten._scaled_dot_product_flash_attention_for_cpu_backward,
        method=False,
        tolerance=SOFT,
        low_tolerance=LOW,
    ),
    *recurrent("lstm", 4, cell_state=True, covers=("_lstm_layer", "_lstm_layer_backward")),
    *recurrent("gru", 3),
    *recurrent("rnn_tanh", 1),
    *recurrent("rnn_relu", 1),
    Operator("_pack_padded_sequence", padded, FLOATS, method=False, meta=False),
    Operator("_pad_packed_sequence", packed, FLOATS, method=False, meta=False),
    Operator(
        "_pack_padded_sequence_backward",
        packed_gradients,
        FLOATS,
        aten._pack_padded_sequence_backward,
        method=False,
        meta=False,
    ),
    Operator("one_hot", classes, ("int64",), torch._C._nn.one_hot, method=False, meta=False),
]
