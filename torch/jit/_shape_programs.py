"""The programs of the shape functions, in the part of Python that TorchScript also has.

The generator of `serialized_shape_function_registry.cpp` reads this file as text, so it imports nothing.
A tensor is the list of its sizes; a function may leave out the last arguments of its operators.
"""


def maybe_wrap_dim(dim: int, rank: int, wrap_scalar: bool = True) -> int:
    """Return a dimension counted from the front.

    Raises:
        IndexError: If there is no such dimension.
    """
    bound = rank if rank > 0 or not wrap_scalar else 1
    if dim < -bound or dim >= bound:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-bound}, {bound - 1}], but got "
            f"{dim})"
        )
    return dim % bound


def wrapped_dims(dims: list[int], rank: int) -> list[int]:
    """Return dimensions counted from the front."""
    result: list[int] = []
    for dim in dims:
        result.append(maybe_wrap_dim(dim, rank))
    return result


def numel(sizes: list[int]) -> int:
    """Return the number of elements."""
    result = 1
    for size in sizes:
        result *= size
    return result


def repeated(values: list[int], count: int) -> list[int]:
    """Return `count` values; one value stands for all."""
    return values * count if len(values) == 1 else values


def replaced(self: list[int], dim: int, sizes: list[int]) -> list[int]:
    """Return sizes with others in the place of one."""
    place = maybe_wrap_dim(dim, len(self))
    return self[:place] + sizes + self[place + 1 :]


# ---- element-wise --------------------------------------------------------------------------------
def unary(self: list[int]) -> list[int]:
    return self[:]


def broadcast(self: list[int], other: list[int]) -> list[int]:
    rank = max(len(self), len(other))
    result: list[int] = []
    for i in range(rank):
        first = i - rank + len(self)
        second = i - rank + len(other)
        x = self[first] if first >= 0 else 1
        y = other[second] if second >= 0 else 1
        if x != y and x != 1 and y != 1:
            raise RuntimeError(
                f"The size of tensor a ({x}) must match the size of tensor b ({y}) at non-singleton "
                f"dimension {i}"
            )
        result.append(y if x == 1 else x)
    return result


def broadcast_three(first: list[int], second: list[int], third: list[int]) -> list[int]:
    return broadcast(broadcast(first, second), third)


def broadcast_inplace(self: list[int], other: list[int]) -> list[int]:
    if broadcast(self, other) != self:
        raise ValueError(f"an operand does not broadcast to the shape {self}")
    return self[:]


# ---- other shapes of the same elements -----------------------------------------------------------
def view(self: list[int], sizes: list[int]) -> list[int]:
    total = numel(self)
    known = 1
    inferred = False
    for size in sizes:
        if size == -1:
            inferred = True
        else:
            known *= size
    if (total != known and not inferred) or (inferred and (known == 0 or total % known != 0)):
        raise ValueError(f"shape {sizes} is invalid for {total} elements")
    result: list[int] = []
    for size in sizes:
        result.append(total // known if size == -1 else size)
    return result


def expand(self: list[int], sizes: list[int]) -> list[int]:
    added = len(sizes) - len(self)
    if added < 0:
        raise ValueError("an expanded tensor has at least as many dimensions")
    result: list[int] = []
    for i in range(len(sizes)):
        size = sizes[i]
        own = 1 if i < added else self[i - added]
        if size != -1 and own != 1 and own != size:
            raise ValueError(f"the size {own} cannot be expanded to {size}")
        result.append(own if size == -1 else size)
    return result


def flatten(self: list[int], start_dim: int = 0, end_dim: int = -1) -> list[int]:
    if len(self) == 0:
        return [1]
    start = maybe_wrap_dim(start_dim, len(self))
    end = maybe_wrap_dim(end_dim, len(self))
    return self[:start] + [numel(self[start : end + 1])] + self[end + 1 :]


def permute(self: list[int], dims: list[int]) -> list[int]:
    result: list[int] = []
    for dim in wrapped_dims(dims, len(self)):
        result.append(self[dim])
    return result


def transpose(self: list[int], dim0: int, dim1: int) -> list[int]:
    result = self[:]
    if len(self) > 0:
        first = maybe_wrap_dim(dim0, len(self))
        second = maybe_wrap_dim(dim1, len(self))
        result[first] = self[second]
        result[second] = self[first]
    return result


def t(self: list[int]) -> list[int]:
    return transpose(self, 0, 1) if len(self) == 2 else self[:]


def movedim(self: list[int], source: list[int], destination: list[int]) -> list[int]:
    moved = wrapped_dims(source, len(self))
    places = wrapped_dims(destination, len(self))
    order: list[int] = []
    for dim in range(len(self)):
        if dim not in moved:
            order.append(dim)
    for place in range(len(self)):
        for i in range(len(places)):
            if places[i] == place:
                order.insert(place, moved[i])
    return permute(self, order)


def squeeze_nodim(self: list[int]) -> list[int]:
    result: list[int] = []
    for size in self:
        if size != 1:
            result.append(size)
    return result


def squeeze_dims(self: list[int], dim: list[int]) -> list[int]:
    chosen = wrapped_dims(dim, len(self))
    result: list[int] = []
    for i in range(len(self)):
        if self[i] != 1 or i not in chosen:
            result.append(self[i])
    return result


def squeeze(self: list[int], dim: int) -> list[int]:
    return squeeze_dims(self, [dim])


def unsqueeze(self: list[int], dim: int) -> list[int]:
    place = maybe_wrap_dim(dim, len(self) + 1)
    return self[:place] + [1] + self[place:]


# ---- parts and joins -----------------------------------------------------------------------------
def slice(
    self: list[int],
    dim: int = 0,
    start: int | None = None,
    end: int | None = None,
    step: int = 1,
) -> list[int]:
    size = self[maybe_wrap_dim(dim, len(self))]
    first = 0 if start is None else start
    last = size if end is None else end
    first = min(max(first + size if first < 0 else first, 0), size)
    last = min(last + size if last < 0 else last, size)
    return replaced(self, dim, [max(0, (last - first + step - 1) // step)])


def select(self: list[int], dim: int) -> list[int]:
    place = maybe_wrap_dim(dim, len(self))
    return self[:place] + self[place + 1 :]


def index_select(self: list[int], dim: int, index: list[int]) -> list[int]:
    return self[:] if len(self) == 0 else replaced(self, dim, [numel(index)])


def embedding(weight: list[int], indices: list[int]) -> list[int]:
    return indices + weight[1:]


def cat(tensors: list[list[int]], dim: int = 0) -> list[int]:
    result = [0]
    for sizes in tensors:
        if sizes != [0]:
            if result == [0]:
                result = sizes[:]
            else:
                place = maybe_wrap_dim(dim, len(result))
                result[place] = result[place] + sizes[place]
    return result


def stack(tensors: list[list[int]], dim: int = 0) -> list[int]:
    place = maybe_wrap_dim(dim, len(tensors[0]) + 1)
    return tensors[0][:place] + [len(tensors)] + tensors[0][place:]


# ---- reductions ----------------------------------------------------------------------------------
def zero_dim_tensor(self: list[int]) -> list[int]:
    return self[:0]


def reduced(self: list[int], dims: list[int], keepdim: bool) -> list[int]:
    """Return the sizes of a reduction over dimensions; no dimensions stand for all."""
    chosen = wrapped_dims(dims, len(self))
    result: list[int] = []
    for i in range(len(self)):
        if len(chosen) > 0 and i not in chosen:
            result.append(self[i])
        elif keepdim:
            result.append(1)
    return result


def sum_mean_dim(self: list[int], dim: list[int] | None, keepdim: bool = False) -> list[int]:
    return reduced(self, self[:0] if dim is None else dim, keepdim)


def max_dim(self: list[int], dim: int, keepdim: bool = False) -> tuple[list[int], list[int]]:
    return (reduced(self, [dim], keepdim), reduced(self, [dim], keepdim))


def argmax(self: list[int], dim: int | None = None, keepdim: bool = False) -> list[int]:
    return reduced(self, self[:0] if dim is None else [dim], keepdim)


def topk(self: list[int], k: int, dim: int = -1) -> tuple[list[int], list[int]]:
    result = self[:] if len(self) == 0 else replaced(self, dim, [k])
    return (result, result[:])


# ---- products ------------------------------------------------------------------------------------
def mm(self: list[int], mat2: list[int]) -> list[int]:
    if len(self) != 2 or len(mat2) != 2 or self[1] != mat2[0]:
        raise ValueError(f"matrices of shapes {self} and {mat2} have no product")
    return [self[0], mat2[1]]


def bmm(self: list[int], mat2: list[int]) -> list[int]:
    return self[:1] + mm(self[1:], mat2[1:])


def mv(self: list[int], vec: list[int]) -> list[int]:
    return mm(self, vec + [1])[:1]


def dot(self: list[int], tensor: list[int]) -> list[int]:
    if self != tensor or len(self) != 1:
        raise ValueError(f"vectors of shapes {self} and {tensor} have no product")
    return self[:0]


def addmm(self: list[int], mat1: list[int], mat2: list[int]) -> list[int]:
    return broadcast(self, mm(mat1, mat2))


def matmul(self: list[int], other: list[int]) -> list[int]:
    if len(self) == 0 or len(other) == 0:
        raise ValueError("both arguments to matmul need to be at least 1D")
    left = self if len(self) > 1 else [1] + self
    right = other if len(other) > 1 else other + [1]
    result = broadcast(left[:-2], right[:-2])
    product = mm(left[-2:], right[-2:])
    if len(self) > 1:
        result.append(product[0])
    if len(other) > 1:
        result.append(product[1])
    return result


def linear(input: list[int], weight: list[int]) -> list[int]:
    return matmul(input, t(weight))


# ---- windows -------------------------------------------------------------------------------------
def conv_forwards(
    input: list[int],
    weight: list[int],
    bias: list[int] | None,
    stride: list[int],
    padding: list[int],
    dilation: list[int],
    transposed: bool,
    output_padding: list[int],
    groups: int,
) -> list[int]:
    count = len(weight) - 2
    steps = repeated(stride, count)
    pads = repeated(padding, count)
    spreads = repeated(dilation, count)
    more = repeated(output_padding, count)
    result = input[: len(input) - count - 1]
    result.append(weight[1] * groups if transposed else weight[0])
    for i in range(count):
        size = input[len(input) - count + i]
        span = spreads[i] * (weight[i + 2] - 1)
        if transposed:
            result.append((size - 1) * steps[i] - 2 * pads[i] + span + more[i] + 1)
        else:
            result.append((size + 2 * pads[i] - span - 1) // steps[i] + 1)
    return result


def pooling_output_shape(
    size: int, kernel: int, pad: int, stride: int, dilation: int, ceil_mode: bool
) -> int:
    """Return how many windows fit into one dimension."""
    span = size + 2 * pad - dilation * (kernel - 1) - 1
    count = (span + stride - 1 if ceil_mode else span) // stride + 1
    # The last window starts inside of the input or of its left padding.
    return count - 1 if ceil_mode and (count - 1) * stride >= size + pad else count


def max_pool2d(
    self: list[int],
    kernel_size: list[int],
    stride: list[int],
    padding: list[int],
    dilation: list[int],
    ceil_mode: bool,
) -> list[int]:
    kernel = repeated(kernel_size, 2)
    steps = kernel if len(stride) == 0 else repeated(stride, 2)
    pads = repeated(padding, 2)
    spreads = repeated(dilation, 2)
    result = self[:-2]
    for i in range(2):
        size = self[len(self) - 2 + i]
        result.append(
            pooling_output_shape(size, kernel[i], pads[i], steps[i], spreads[i], ceil_mode)
        )
    return result


def max_pool2d_with_indices(
    self: list[int],
    kernel_size: list[int],
    stride: list[int],
    padding: list[int],
    dilation: list[int],
    ceil_mode: bool,
) -> tuple[list[int], list[int]]:
    result = max_pool2d(self, kernel_size, stride, padding, dilation, ceil_mode)
    return (result, result[:])


def adaptive_avg_pool2d(self: list[int], output_size: list[int]) -> list[int]:
    return self[:-2] + repeated(output_size, 2)


# ---- normalizations and losses -------------------------------------------------------------------
def native_layer_norm(
    input: list[int], normalized_shape: list[int]
) -> tuple[list[int], list[int], list[int]]:
    kept = len(input) - len(normalized_shape)
    statistics = input[:kept] + [1] * len(normalized_shape)
    return (input[:], statistics, statistics[:])


def nll_loss_forward(
    self: list[int], target: list[int], weight: list[int] | None, reduction: int
) -> tuple[list[int], list[int]]:
    kept = 1 if reduction == 0 and len(self) == 2 else 0
    return (self[:kept], self[:0])
