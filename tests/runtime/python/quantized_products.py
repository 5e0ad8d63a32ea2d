"""Compare the native products of bytes with the same arithmetic in floating point, bit for bit.

Run with ATEN_CPU_CAPABILITY to test the kernels of one capability, and with the number of threads,
followed by 0 to leave a tile unit unused. Prints what differs.
"""

import ctypes
import itertools
import mmap
import sys
import warnings

import torch
from torch._quantized import _packed_weights

warnings.filterwarnings("ignore")
ops = torch.ops.quantized


def activations(*shape: int, extreme: bool = False) -> torch.Tensor:
    values = torch.full(shape, 300.0) if extreme else torch.randn(shape) * 40
    return torch.quantize_per_tensor(values, 0.7, 130, torch.quint8)


def weights(*shape: int, points: bool, extreme: bool = False) -> torch.Tensor:
    values = torch.full(shape, -9.0) if extreme else torch.randn(shape)
    if extreme:
        values[::2] = 9.0
    scales = torch.linspace(0.01, 0.04, shape[0], dtype=torch.float64)
    zero_points = torch.arange(shape[0]) % 7 - 3 if points else torch.zeros(shape[0]).long()
    return torch.quantize_per_channel(values, scales, zero_points, 0, torch.qint8)


def check(name: str, found: torch.Tensor, expected: torch.Tensor) -> None:
    if found.is_quantized:
        found, expected = found.int_repr(), expected.int_repr()
    if not torch.equal(found, expected):
        print(name, (found.double() - expected.double()).abs().max().item())


def check_linear(rows: int, depth: int, columns: int, points: bool, extreme: bool) -> None:
    name = f"{rows}x{depth}x{columns} {points=} {extreme=}"
    x = activations(rows, depth, extreme=extreme)
    bias = torch.randn(columns) * 30 if columns % 2 else None
    packed = ops.linear_prepack(weights(columns, depth, points=points, extreme=extreme), bias)
    scale = 0.9 * depth if extreme and depth else 1.5
    for relu in (False, True):
        run = ops.linear_relu if relu else ops.linear
        expected = _packed_weights._requantized(x, packed, scale, 100, relu)
        check(f"linear {name} {relu=}", run(x, packed, scale, 100), expected)
        run = ops.linear_relu_dynamic if relu else ops.linear_dynamic
        values = x.dequantize()
        expected = _packed_weights._composed_linear_dynamic(values, packed, True)
        check(
            f"dynamic {name} {relu=}",
            run(values, packed, True),
            expected.relu() if relu else expected,
        )


CONVOLUTIONS = (
    # dims, channels, results, kernel, stride, padding, dilation, groups
    (1, 6, 9, [3], [1], [1], [2], 3),
    (2, 3, 8, [3, 3], [1, 1], [1, 1], [1, 1], 1),
    (2, 16, 40, [3, 2], [2, 1], [1, 0], [1, 3], 1),
    (2, 16, 32, [1, 1], [1, 1], [0, 0], [1, 1], 1),
    (2, 8, 12, [3, 3], [1, 2], [3, 3], [1, 1], 4),
    (2, 37, 37, [3, 3], [2, 1], [1, 1], [1, 2], 37),
    (2, 64, 64, [3, 3], [1, 1], [1, 1], [1, 1], 64),
    (2, 100, 100, [2, 3], [1, 1], [1, 1], [1, 1], 100),
    (2, 130, 130, [1, 1], [1, 1], [0, 0], [1, 1], 130),
    (2, 3, 64, [5, 4], [2, 3], [2, 5], [1, 1], 1),
    (2, 5, 7, [3, 3], [1, 1], [2, 1], [2, 2], 1),
    (2, 6, 12, [3, 3], [1, 1], [1, 1], [1, 1], 6),
    (1, 1, 3, [4], [2], [3], [1], 1),
    (2, 16, 16, [5, 3], [1, 1], [2, 1], [1, 1], 16),
    (2, 4, 8, [2, 2], [1, 1], [0, 0], [1, 1], 4),
    (3, 4, 6, [2, 1, 3], [1, 1, 2], [1, 0, 1], [1, 1, 1], 2),
    # several tiles of rows, columns and terms, whole and not
    (2, 64, 64, [3, 3], [1, 1], [1, 1], [1, 1], 1),
    (2, 68, 81, [3, 2], [2, 1], [1, 1], [1, 2], 1),
    (2, 128, 17, [1, 1], [1, 1], [0, 0], [1, 1], 1),
    (2, 64, 64, [3, 3], [1, 1], [1, 1], [1, 1], 4),
    (2, 96, 80, [2, 3], [1, 2], [1, 1], [1, 1], 2),
    (3, 64, 33, [2, 1, 3], [1, 2, 1], [0, 1, 1], [1, 1, 1], 1),
    # tiles of 13 and 9 rows that are read where they lie, with taps of one or several pixels
    (1, 64, 40, [2], [1], [9], [1], 1),
    (1, 128, 70, [3], [2], [14], [1], 2),
    (1, 64, 33, [3], [1], [12], [3], 1),
    # groups that share the terms of a tile
    (2, 64, 64, [3, 3], [1, 1], [1, 1], [1, 1], 8),
    (2, 64, 48, [3, 3], [2, 1], [1, 1], [2, 1], 2),
    (2, 128, 64, [1, 3], [1, 1], [0, 1], [1, 1], 32),
)


def check_convolutions(points: bool, layout: str) -> None:
    for dims, channels, results, kernel, stride, padding, dilation, groups in CONVOLUTIONS:
        x = activations(2, channels, *[9, 7, 8][:dims])
        if layout == "channels last":
            x = (
                x.permute(0, *range(2, dims + 2), 1)
                .contiguous()
                .permute(0, -1, *range(1, dims + 1))
            )
        elif layout == "strided":
            x = activations(2, channels, *[9, 7, 16][:dims])[..., ::2]
        weight = weights(results, channels // groups, *kernel, points=points)
        packed = getattr(ops, f"conv{dims}d_prepack")(
            weight, torch.randn(results) * 20, stride, padding, dilation, groups
        )
        for relu in (False, True):
            run = getattr(ops, f"conv{dims}d_relu" if relu else f"conv{dims}d")
            expected = _packed_weights._requantized(x, packed, 1.2, 90, relu)
            found = run(x, packed, 1.2, 90)
            check(f"conv{dims}d {channels} {results} {kernel} {groups=} {relu=}", found, expected)
            if found.stride(1) != 1:
                print("strides", found.stride())


def at_the_end_of_memory(tensor: torch.Tensor) -> torch.Tensor:
    """Copy the bytes of a tensor to the end of a page; the next one cannot be read."""
    page, count = mmap.PAGESIZE, tensor.numel()
    size = -(-count // page) * page + page
    block = mmap.mmap(-1, size)
    address = ctypes.addressof(ctypes.c_char.from_buffer(block))
    last = ctypes.c_void_p(address + size - page)
    if ctypes.CDLL(None, use_errno=True).mprotect(last, page, 0):
        raise OSError(ctypes.get_errno(), "mprotect")
    memory = torch.frombuffer(block, dtype=tensor.dtype, count=count, offset=size - page - count)
    return memory.copy_(tensor.flatten()).view(tensor.shape)


def check_borders() -> None:
    """Multiply weights and activations that end where readable memory ends."""
    for channels, groups, columns in ((64, 1, 33), (20, 1, 16), (64, 4, 64), (128, 2, 40)):
        for window in (1, 3):
            weight = torch.randint(-128, 128, (columns, window * window * channels // groups))
            packed = torch._quantized_pack_for_cpu(weight.to(torch.int8), groups)
            x = torch.randint(0, 256, (2, 7, 9, channels), dtype=torch.uint8)
            scales, size = torch.ones(columns), (columns, channels // groups, window, window)
            steps = (size, [1, 1], [window // 2] * 2, [1, 1], groups, 1000.0, 128)
            both = [
                torch._quantized_convolution_for_cpu(
                    pixels.permute(0, 3, 1, 2), 1.0, 3, panels, scales, None, None, *steps
                )
                for pixels, panels in (
                    (x, packed),
                    (at_the_end_of_memory(x), at_the_end_of_memory(packed)),
                )
            ]
            check(f"borders {channels} {groups} {columns} {window}", *both)


def main() -> None:
    torch.manual_seed(0)
    check_borders()
    flags = (False, True)
    shapes = [(rows, 9, 5) for rows in range(1, 14)]
    shapes += [(5, depth, 33) for depth in (1, 2, 3, 4, 63, 64, 65, 300)]
    shapes += [(49, 40, columns) for columns in (1, 15, 16, 17, 32, 48, 64, 65)]
    shapes += [(100, 1030, 520), (3, 700, 2100), (0, 3, 4), (3, 0, 4), (40, 0, 4), (97, 64, 48)]
    for shape, points, extreme in itertools.product(shapes, flags, flags):
        check_linear(*shape, points, extreme)
    for points, layout in itertools.product(flags, ("channels first", "channels last", "strided")):
        check_convolutions(points, layout)


if __name__ == "__main__":
    torch.set_num_threads(int(sys.argv[1]))
    torch.backends.mkldnn.enabled = sys.argv[2:] != ["0"]
    main()
