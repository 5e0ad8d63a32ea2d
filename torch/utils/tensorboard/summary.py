"""Summaries of values, encoded for event files; `FileWriter.add_summary` takes them.

A summary here is TensorBoard's message without TensorBoard's classes, so none of its packages is needed.
"""

from __future__ import annotations

import io
import json
import struct
import wave
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import torch
from torch.utils.tensorboard import _events
from torch.utils.tensorboard._events import integer, message

__all__ = [
    "Summary",
    "audio",
    "compute_curve",
    "custom_scalars",
    "histogram",
    "histogram_raw",
    "hparams",
    "image",
    "mesh",
    "pr_curve",
    "pr_curve_raw",
    "scalar",
    "tensor_proto",
    "text",
]


class Summary:
    r"""Encoded values of one event.

    Args:
        values: The values.

    Example:
        >>> from torch.utils.tensorboard.summary import scalar
        >>> scalar("loss", 0.5).SerializeToString()
        b'\n\x0b\n\x04loss\x15\x00\x00\x00?'
    """

    def __init__(self, values: Iterable[bytes]) -> None:
        self._values = list(values)

    def SerializeToString(self) -> bytes:
        """Return the bytes of the message, as its name is in protocol buffers."""
        return b"".join(message(1, value) for value in self._values)


def scalar(
    name: str,
    tensor: Any,
    collections: Any = None,
    new_style: bool = False,
    double_precision: bool = False,
) -> Summary:
    """Return the summary of a number.

    Args:
        name: Its name.
        tensor: The number, or a tensor or array with one element.
        collections: Accepted for compatibility; has no effect.
        new_style: Whether to store it as a tensor.
        double_precision: Whether the tensor has 64 bits.

    Raises:
        NotImplementedError: If it is none of these.
        AssertionError: If a tensor or array has another number of elements than one.

    Example:
        >>> from torch.utils.tensorboard import summary
        >>> isinstance(summary.scalar("loss", 0.5), summary.Summary)
        True
    """
    encode = _events.tensor_scalar if new_style else _events.scalar
    if new_style and double_precision:
        encode = _events.tensor_double
    return Summary([encode(name, _number(tensor))])


def _number(value: Any) -> float:
    """Return the only number in a number, a tensor or an array."""
    if not hasattr(value, "ndim"):
        if isinstance(value, (float, int, str)):
            return float(value)
        raise NotImplementedError(
            f"Got {type(value)}, but numpy array or torch tensor are expected."
        )
    count = torch.Size(value.shape).numel()
    if count != 1:
        raise AssertionError(
            "Tensor should contain one element (0 dimensions). Was given size: "
            f"{count} and {value.ndim} dimensions."
        )
    return float(value.item())


def text(tag: str, text: str) -> Summary:
    """Return the summary of a text in Markdown.

    Args:
        tag: Its name.
        text: The text.

    Example:
        >>> from torch.utils.tensorboard import summary
        >>> isinstance(summary.text("note", "hello"), summary.Summary)
        True
    """
    return Summary([_events.text(tag, text)])


def histogram(name: str, values: Any, bins: Any, max_bins: int | None = None) -> Summary:
    """Return the summary of how many elements are in each interval.

    Args:
        name: Its name.
        values: The elements.
        bins: The intervals; see `SummaryWriter.add_histogram`.
        max_bins: The largest number of intervals.

    Example:
        >>> from torch.utils.tensorboard import summary
        >>> isinstance(summary.histogram("weights", torch.arange(10.0), "tensorflow"), summary.Summary)
        True
    """
    return Summary([_events.histogram(name, torch.as_tensor(values), bins, max_bins)])


def histogram_raw(
    name: str,
    min: float,
    max: float,
    num: float,
    sum: float,
    sum_squares: float,
    bucket_limits: Any,
    bucket_counts: Any,
) -> Summary:
    """Return the summary of a histogram that was counted elsewhere.

    Args:
        name: Its name.
        min: The smallest element.
        max: The greatest element.
        num: The number of elements.
        sum: Their sum.
        sum_squares: The sum of their squares.
        bucket_limits: The upper limits of the intervals.
        bucket_counts: The numbers of elements in them.

    Example:
        >>> from torch.utils.tensorboard import summary
        >>> isinstance(summary.histogram_raw("h", 0, 3, 4, 6, 14, [1, 2, 3], [1, 2, 1]), summary.Summary)
        True
    """
    numbers = (min, max, num, sum, sum_squares)
    encoded = b"".join(_events.double(i + 1, float(each)) for i, each in enumerate(numbers))
    limits, counts = ([float(each) for each in part] for part in (bucket_limits, bucket_counts))
    encoded += _events.doubles(6, limits) + _events.doubles(7, counts)
    return Summary([message(1, name) + message(5, encoded)])


def image(tag: str, tensor: Any, rescale: float = 1, dataformats: str = "NCHW") -> Summary:
    """Return the summary of an image.

    Args:
        tag: Its name.
        tensor: The image: uint8, or numbers from 0 to 1.
        rescale: Must be 1.
        dataformats: The order of the dimensions: "CHW", "HWC", "HW", "NCHW" or "NHWC".

    Raises:
        NotImplementedError: If `rescale` is not 1.

    Example:
        >>> from torch.utils.tensorboard import summary
        >>> isinstance(summary.image("white", torch.ones(3, 2, 2), dataformats="CHW"), summary.Summary)
        True
    """
    if rescale != 1:
        raise NotImplementedError("images are not rescaled here; pass an image of the wanted size")
    return Summary([_events.image(tag, _events.pixels(torch.as_tensor(tensor), dataformats))])


def audio(tag: str, tensor: Any, sample_rate: int = 44100) -> Summary:
    """Return the summary of a sound.

    Args:
        tag: Its name.
        tensor: The samples of one channel, from -1 to 1.
        sample_rate: Samples in a second.

    Example:
        >>> from torch.utils.tensorboard import summary
        >>> isinstance(summary.audio("tone", torch.sin(torch.arange(100) / 5), 8000), summary.Summary)
        True
    """
    samples = torch.as_tensor(tensor).detach().squeeze()
    if samples.abs().max() > 1:
        print("warning: audio amplitude out of range, auto clipped.")
        samples = samples.clamp(-1, 1)
    if samples.dim() != 1:
        raise AssertionError("input tensor should be 1 dimensional.")
    whole = (samples * 32767.0).to(torch.int16).tolist()
    file = io.BytesIO()
    with wave.open(file, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(sample_rate)
        sound.writeframes(struct.pack(f"<{len(whole)}h", *whole))
    encoded = b"".join(
        (
            _events.single(1, float(sample_rate)),
            integer(2, 1),
            integer(3, len(whole)),
            message(4, file.getvalue()),
            message(5, "audio/wav"),
        )
    )
    return Summary([message(1, tag) + message(6, encoded)])


# ---- tensors -------------------------------------------------------------------------------------
# dtype: (number of the dtype, field of its elements) in TensorBoard's TensorProto
_STORED = {
    torch.float16: (19, 13),
    torch.float32: (1, 5),
    torch.float64: (2, 6),
    torch.bfloat16: (14, 13),
    torch.uint8: (4, 16),
    torch.int8: (6, 7),
    torch.int16: (5, 7),
    torch.int32: (3, 7),
    torch.int64: (9, 10),
    torch.bool: (10, 11),
    torch.complex64: (8, 9),
    torch.complex128: (18, 12),
}
_FORMATS = {5: "f", 6: "d", 9: "f", 12: "d"}


def _encoded_tensor(tensor: torch.Tensor) -> bytes:
    if tensor.dtype not in _STORED:
        raise ValueError(f"a summary cannot hold a tensor of {tensor.dtype}")
    number, field = _STORED[tensor.dtype]
    flat = tensor.detach().cpu().reshape(-1)
    if flat.is_complex():
        flat = torch.view_as_real(flat.resolve_conj()).reshape(-1)
    if field == 13:  # the bits of halves
        flat = flat.view(torch.int16).to(torch.int32) & 0xFFFF
    if field in _FORMATS:
        elements = struct.pack(f"<{flat.numel()}{_FORMATS[field]}", *flat.tolist())
    else:
        elements = b"".join(_events.varint(int(each)) for each in flat.tolist())
    shape = b"".join(message(2, integer(1, size)) for size in tensor.shape)
    return integer(1, number) + message(2, shape) + message(field, elements)


def _plugin(name: str, content: bytes = b"") -> bytes:
    data = message(1, name) + (message(2, content) if content else b"")
    return message(9, message(1, data))


def tensor_proto(tag: str, tensor: torch.Tensor) -> Summary:
    """Return the summary of a tensor.

    Args:
        tag: Its name.
        tensor: The tensor.

    Raises:
        ValueError: If summaries have no such dtype.

    Example:
        >>> from torch.utils.tensorboard import summary
        >>> isinstance(summary.tensor_proto("t", torch.arange(3)), summary.Summary)
        True
    """
    return Summary([message(1, tag) + message(8, _encoded_tensor(tensor)) + _plugin("tensor")])


# ---- curves --------------------------------------------------------------------------------------
def compute_curve(
    labels: Any, predictions: Any, num_thresholds: int | None = None, weights: Any = None
) -> torch.Tensor:
    """Return true and false positives, true and false negatives, precision and recall, one row each.

    Args:
        labels: 0 or 1 for each element.
        predictions: Its probability.
        num_thresholds: The number of thresholds from 0 to 1; 127 by default.
        weights: The weight of each element; 1 by default.

    Example:
        >>> from torch.utils.tensorboard import summary
        >>> summary.compute_curve([0, 1], [0.2, 0.9], num_thresholds=3)[0]
        tensor([1., 1., 0.], dtype=torch.float64)
    """
    count = 127 if num_thresholds is None else num_thresholds
    given = torch.as_tensor(labels).reshape(-1).to(torch.float64)
    likely = torch.as_tensor(predictions).reshape(-1).to(torch.float64)
    weight = torch.ones_like(given) if weights is None else torch.as_tensor(weights).to(given)
    weight = weight.expand(given.shape) if weight.dim() == 0 else weight.reshape(-1)
    places = (likely * (count - 1)).floor().long()

    def at_least(each: torch.Tensor) -> torch.Tensor:
        counted = torch.bincount(places, each * weight, minlength=count)[:count]
        return counted.flip(0).cumsum(0).flip(0)

    positive, negative = at_least(given), at_least(1 - given)
    missed, refused = positive[0] - positive, negative[0] - negative
    least = 1e-7
    precision = positive / (positive + negative).clamp(min=least)
    recall = positive / (positive + missed).clamp(min=least)
    return torch.stack([positive, negative, refused, missed, precision, recall])


def pr_curve_raw(
    tag: str,
    tp: Any,
    fp: Any,
    tn: Any,
    fn: Any,
    precision: Any,
    recall: Any,
    num_thresholds: int = 127,
    weights: Any = None,
) -> Summary:
    """Return the summary of a curve of precision and recall that was computed elsewhere.

    Args:
        tag: Its name.
        tp: True positives at each threshold.
        fp: False positives.
        tn: True negatives.
        fn: False negatives.
        precision: The precisions.
        recall: The recalls.
        num_thresholds: The number of thresholds, 127 at most.
        weights: Accepted for compatibility; has no effect.

    Example:
        >>> from torch.utils.tensorboard import summary
        >>> isinstance(summary.pr_curve_raw("c", [3, 2], [1, 0], [2, 2], [0, 1], [0.7, 1.0], [1.0, 0.6], 2), summary.Summary)
        True
    """
    rows = [torch.as_tensor(row) for row in (tp, fp, tn, fn, precision, recall)]
    data = torch.stack([row.to(torch.float32) for row in rows])
    plugin = _plugin("pr_curves", integer(2, min(num_thresholds, 127)))
    return Summary([message(1, tag) + message(8, _encoded_tensor(data)) + plugin])


def pr_curve(
    tag: str, labels: Any, predictions: Any, num_thresholds: int = 127, weights: Any = None
) -> Summary:
    """Return the summary of a curve of precision and recall.

    Args:
        tag: Its name.
        labels: 0 or 1 for each element.
        predictions: Its probability.
        num_thresholds: The number of thresholds, 127 at most.
        weights: The weight of each element.

    Example:
        >>> from torch.utils.tensorboard import summary
        >>> isinstance(summary.pr_curve("c", [0, 1], [0.2, 0.9], num_thresholds=5), summary.Summary)
        True
    """
    count = min(num_thresholds, 127)
    return pr_curve_raw(tag, *compute_curve(labels, predictions, count, weights), count)


# ---- layouts, meshes and parameters --------------------------------------------------------------
def custom_scalars(layout: Mapping[str, Mapping[str, Sequence[Any]]]) -> Summary:
    """Return the summary of how plots are laid out.

    Args:
        layout: For each category, the charts by title: ["Multiline", tags], or
            ["Margin", [value, lower limit, upper limit]].

    Example:
        >>> from torch.utils.tensorboard import summary
        >>> isinstance(summary.custom_scalars({"losses": {"both": ["Multiline", ["train", "test"]]}}), summary.Summary)
        True
    """
    encoded = b""
    for category, charts in layout.items():
        parts = message(1, category)
        for title, (kind, tags) in charts.items():
            chart = message(1, title)
            if kind == "Margin":
                if len(tags) != 3:
                    raise AssertionError(f"Expected 3 tags, got {len(tags)}")
                series = b"".join(message(i + 1, tag) for i, tag in enumerate(tags))
                chart += message(3, message(1, series))
            else:
                chart += message(2, b"".join(message(1, tag) for tag in tags))
            parts += message(2, chart)
        encoded += message(2, parts)
    data = integer(1, 7) + message(2, b"") + message(8, encoded)
    plugin = _plugin("custom_scalars")
    return Summary([message(1, "custom_scalars__config__") + message(8, data) + plugin])


def mesh(
    tag: str,
    vertices: torch.Tensor,
    colors: torch.Tensor | None,
    faces: torch.Tensor | None,
    config_dict: Mapping[str, Any] | None,
    display_name: str | None = None,
    description: str | None = None,
) -> Summary:
    """Return the summary of point clouds or meshes.

    Args:
        tag: Their name.
        vertices: Positions, (batch, points, 3).
        colors: Colours from 0 to 255, (batch, points, 3).
        faces: Indices of the points of triangles, (batch, triangles, 3).
        config_dict: Settings of three.js.
        display_name: The name to show; the tag by default.
        description: A text in Markdown.

    Example:
        >>> from torch.utils.tensorboard import summary
        >>> isinstance(summary.mesh("points", torch.rand(1, 4, 3), None, None, None), summary.Summary)
        True
    """
    kinds = [("VERTEX", 1, vertices), ("FACE", 2, faces), ("COLOR", 3, colors)]
    given = [
        (kind, number, torch.as_tensor(part)) for kind, number, part in kinds if part is not None
    ]
    components = sum(1 << number for _, number, _ in given)
    shown = message(2, display_name) if display_name else b""
    shown += message(3, description) if description else b""
    values = []
    for kind, number, part in given:
        content = message(2, tag) + integer(3, number)
        content += message(5, json.dumps(config_dict or {}, sort_keys=True))
        content += message(6, b"".join(_events.varint(size) for size in part.shape))
        content += integer(7, components)
        metadata = message(9, message(1, message(1, "mesh") + message(2, content)) + shown)
        encoded = _encoded_tensor(part.to(torch.float32))
        values.append(message(1, f"{tag}_{kind}") + message(8, encoded) + metadata)
    return Summary(values)


def hparams(
    hparam_dict: Mapping[str, Any] | None = None,
    metric_dict: Mapping[str, Any] | None = None,
    hparam_domain_discrete: Mapping[str, Sequence[Any]] | None = None,
) -> tuple[Summary, Summary, Summary]:
    """Return three summaries for a run's parameters: the experiment, the run's start and its end.

    Args:
        hparam_dict: The parameters by name.
        metric_dict: The results by name.
        hparam_domain_discrete: The values that a parameter can have, by name.

    Raises:
        TypeError: If these are no dictionaries, or a parameter cannot have its value.
        ValueError: If a parameter is no number or string.

    Example:
        >>> from torch.utils.tensorboard import summary
        >>> len(summary.hparams({"lr": 0.1}, {"loss": 0.5}))
        3
    """
    if not isinstance(hparam_dict, Mapping) or not isinstance(metric_dict, Mapping):
        raise TypeError("hparam_dict and metric_dict should be dictionary.")
    domains = hparam_domain_discrete or {}
    if not isinstance(domains, Mapping):
        raise TypeError("hparam_domain_discrete should be dictionary.")
    for name, values in domains.items():
        known = name in hparam_dict and isinstance(values, (list, tuple))
        if not known or not all(isinstance(each, type(hparam_dict[name])) for each in values):
            raise TypeError(
                f"parameter: hparam_domain_discrete[{name}] should be a list of same type as "
                f"hparam_dict[{name}]."
            )
    encoded = _events.hyperparameters(hparam_dict, metric_dict, domains)
    experiment, start, end = (Summary([value]) for value in encoded)
    return experiment, start, end
