"""Calls that must fail with PyTorch's type of exception and a message that names the mistake."""

from __future__ import annotations

import torch

from .model import Refusal

f = torch.ones(2, 3)
i = torch.ones(2, 3, dtype=torch.int64)
b = torch.ones(2, 3, dtype=torch.bool)
c = torch.ones(2, 3, dtype=torch.complex64)
v = torch.ones(3)
functional = torch.nn.functional

SHAPES = [
    Refusal(
        "broadcast",
        lambda: f + torch.ones(2, 4),
        RuntimeError,
        r"size of tensor a \(3\) must match the size of tensor b \(4\)",
    ),
    Refusal(
        "in-place broadcast",
        lambda: torch.ones(3).add_(f),
        RuntimeError,
        r"doesn't match the broadcast shape",
    ),
    Refusal(
        "view size",
        lambda: f.view(4, 2),
        RuntimeError,
        r"shape '\[4, 2\]' is invalid for input of size 6",
    ),
    Refusal("view stride", lambda: f.t().view(6), RuntimeError, r"view size is not compatible"),
    Refusal(
        "two unknown sizes",
        lambda: f.view(-1, -1),
        RuntimeError,
        r"only one dimension can be inferred",
    ),
    Refusal("negative size", lambda: torch.empty(-1), RuntimeError, r"negative dimension"),
    Refusal(
        "expand",
        lambda: f.expand(2, 4),
        RuntimeError,
        r"expanded size of the tensor \(4\) must match the existing size \(3\)",
    ),
    Refusal("expand to fewer", lambda: f.expand(3), RuntimeError, r"number of sizes provided"),
    Refusal(
        "cat sizes",
        lambda: torch.cat([f, torch.ones(2, 4)]),
        RuntimeError,
        r"Sizes of tensors must match except in dimension 0",
    ),
    Refusal("cat nothing", lambda: torch.cat([]), (RuntimeError, ValueError), r"non-empty"),
    Refusal(
        "stack sizes",
        lambda: torch.stack([f, v]),
        RuntimeError,
        r"stack expects each tensor to be equal size",
    ),
    Refusal(
        "mm sizes",
        lambda: f @ f,
        RuntimeError,
        r"mat1 and mat2 shapes cannot be multiplied \(2x3 and 2x3\)",
    ),
    Refusal("mm dimensions", lambda: torch.mm(f, v), RuntimeError, r"mat2 must be a matrix"),
    Refusal(
        "bmm sizes",
        lambda: torch.bmm(torch.ones(2, 3, 4), torch.ones(2, 3, 4)),
        RuntimeError,
        r"Expected size",
    ),
    Refusal(
        "dot sizes", lambda: torch.dot(v, torch.ones(4)), RuntimeError, r"inconsistent tensor size"
    ),
    Refusal("dot dimensions", lambda: torch.dot(f, f), RuntimeError, r"1D tensors expected"),
    Refusal("t of three", lambda: torch.ones(1, 2, 3).t(), RuntimeError, r"<= 2"),
    Refusal("split sizes", lambda: f.split([1, 2]), RuntimeError, r"split_with_sizes expects"),
    Refusal(
        "masked_fill mask",
        lambda: f.masked_fill(torch.ones(2, 2, dtype=torch.bool), 0),
        RuntimeError,
        r"must match",
    ),
    Refusal(
        "out shape read-only",
        lambda: torch.add(f, f, out=torch.ones(3).expand(2, 3)),
        RuntimeError,
        r"single memory location",
    ),
    Refusal(
        "conv channels",
        lambda: functional.conv2d(torch.ones(1, 2, 5, 5), torch.ones(4, 3, 3, 3)),
        RuntimeError,
        r"expected input\[1, 2, 5, 5\] to have 3 channels, but got 2",
    ),
    Refusal(
        "layer_norm shape",
        lambda: functional.layer_norm(f, (4,)),
        RuntimeError,
        r"normalized_shape",
    ),
    Refusal("einsum sizes", lambda: torch.einsum("ij,jk", f, f), RuntimeError, r"einsum"),
    Refusal("unflatten", lambda: f.unflatten(1, (2, 2)), RuntimeError, r"unflatten"),
]

INDICES = [
    Refusal(
        "dimension",
        lambda: f.sum(5),
        IndexError,
        r"Dimension out of range \(expected to be in range of \[-2, 1\], but got 5\)",
    ),
    Refusal(
        "transpose dimension", lambda: f.transpose(0, 2), IndexError, r"Dimension out of range"
    ),
    Refusal(
        "repeated dimension", lambda: f.sum((0, 0)), RuntimeError, r"dim 0 appears multiple times"
    ),
    Refusal(
        "permute repeats",
        lambda: f.permute(0, 0),
        RuntimeError,
        r"(duplicate|repeated) dims|unique|not allowed",
    ),
    Refusal("permute count", lambda: f.permute(0), RuntimeError, r"permute"),
    Refusal(
        "select", lambda: f[2], IndexError, r"index 2 is out of bounds for dimension 0 with size 2"
    ),
    Refusal(
        "too many", lambda: f[0, 0, 0], IndexError, r"too many indices for tensor of dimension 2"
    ),
    Refusal("number", lambda: torch.tensor(1.0)[0], IndexError, r"invalid index of a 0-dim tensor"),
    Refusal(
        "tensor index",
        lambda: f[torch.tensor([2])],
        IndexError,
        r"index 2 is out of bounds for dimension 0 with size 2",
    ),
    Refusal(
        "mask shape",
        lambda: f[torch.ones(3, dtype=torch.bool)],
        IndexError,
        r"shape of the mask \[3\] at index 0 does not match",
    ),
    Refusal(
        "float index",
        lambda: f[torch.tensor([0.5])],
        IndexError,
        r"tensors used as indices must be long",
    ),
    Refusal(
        "index shapes",
        lambda: f[torch.tensor([0, 1]), torch.tensor([0, 1, 2])],
        IndexError,
        r"could not be broadcast",
    ),
    Refusal("negative step", lambda: f[::-1], ValueError, r"step must be greater than zero"),
    Refusal(
        "gather index",
        lambda: torch.gather(v, 0, torch.tensor([3])),
        RuntimeError,
        r"index 3 is out of bounds for dimension 0 with size 3",
    ),
    Refusal(
        "gather dtype", lambda: torch.gather(v, 0, torch.tensor([0.0])), RuntimeError, r"int64"
    ),
    Refusal(
        "scatter dimensions",
        lambda: torch.ones(3).scatter_(0, torch.zeros(1, 1, dtype=torch.int64), 1.0),
        RuntimeError,
        r"dimension",
    ),
    Refusal(
        "index_select",
        lambda: torch.index_select(v, 0, torch.tensor([4])),
        (IndexError, RuntimeError),
        r"out of range|out of bounds",
    ),
    Refusal(
        "embedding index",
        lambda: functional.embedding(torch.tensor([7]), f),
        IndexError,
        r"out of range",
    ),
    Refusal("narrow", lambda: f.narrow(0, 1, 5), RuntimeError, r"exceeds dimension size"),
    Refusal(
        "target",
        lambda: functional.nll_loss(f, torch.tensor([0, 3])),
        IndexError,
        r"Target 3 is out of bounds",
    ),
    Refusal("topk", lambda: torch.topk(v, 4), RuntimeError, r"out of range"),
]

TYPES = [
    Refusal(
        "bool minus",
        lambda: b - b,
        RuntimeError,
        r"Subtraction, the `-` operator, with two bool tensors is not supported",
    ),
    Refusal(
        "bool negation",
        lambda: -b,
        RuntimeError,
        r"Negation, the `-` operator, on a bool tensor is not supported",
    ),
    Refusal(
        "float into int",
        lambda: torch.ones(3, dtype=torch.int64).add_(1.5),
        RuntimeError,
        r"result type Float can't be cast to the desired output type (Long|long)",
    ),
    Refusal(
        "out dtype",
        lambda: torch.add(f, f, out=torch.empty(2, 3, dtype=torch.int32)),
        RuntimeError,
        r"can't be cast to the desired output type",
    ),
    Refusal(
        "integer division",
        lambda: torch.ones(3, dtype=torch.int64).div_(2),
        RuntimeError,
        r"can't be cast",
    ),
    Refusal(
        "division by zero",
        lambda: torch.div(i, 0, rounding_mode="floor"),
        RuntimeError,
        r"ZeroDivisionError",
    ),
    Refusal(
        "rounding mode", lambda: torch.div(f, f, rounding_mode="up"), RuntimeError, r"rounding_mode"
    ),
    Refusal(
        "complex order",
        lambda: c < c,
        (RuntimeError, NotImplementedError),
        r"not implemented for 'ComplexFloat'|not support",
    ),
    Refusal(
        "bitwise of float",
        lambda: f & f,
        (RuntimeError, NotImplementedError),
        r"not implemented for 'Float'",
    ),
    Refusal("mean of int", lambda: i.mean(), RuntimeError, r"(mean|Mean)"),
    Refusal(
        "softmax of int",
        lambda: torch.softmax(i, 0),
        (RuntimeError, NotImplementedError),
        r"softmax",
    ),
    Refusal(
        "mm dtypes",
        lambda: torch.mm(f, torch.ones(3, 2, dtype=torch.float64)),
        RuntimeError,
        r"same dtype",
    ),
    Refusal(
        "integer power",
        lambda: torch.ones(3, dtype=torch.int64) ** -1,
        RuntimeError,
        r"Integers to negative integer powers",
    ),
    Refusal("real of nothing complex", lambda: torch.imag(f), RuntimeError, r"imag"),
    Refusal("masked_fill dtype", lambda: f.masked_fill(torch.ones(2, 3), 0), RuntimeError, r"bool"),
    Refusal("uniform bounds", lambda: torch.ones(3).uniform_(2.0, 1.0), RuntimeError, r"uniform_"),
    Refusal("normal std", lambda: torch.ones(3).normal_(0.0, -1.0), RuntimeError, r"std >= 0"),
    Refusal("bernoulli probability", lambda: torch.ones(3).bernoulli_(2.0), RuntimeError, r"p"),
    Refusal("randint bounds", lambda: torch.randint(5, 5, (2,)), RuntimeError, r"from.*to|random_"),
    Refusal("arange step", lambda: torch.arange(0, 5, -1), RuntimeError, r"step"),
]

EMPTY = [
    Refusal("max of nothing", lambda: torch.empty(0).max(), RuntimeError, r"max\(\)"),
    Refusal("amax of nothing", lambda: torch.empty(0).amax(), (RuntimeError, IndexError), r"amax"),
    Refusal(
        "argmax of nothing", lambda: torch.empty(0).argmax(), (RuntimeError, IndexError), r"argmax"
    ),
    Refusal(
        "item of many",
        lambda: f.item(),
        RuntimeError,
        r"a Tensor with 6 elements cannot be converted to Scalar",
    ),
    Refusal(
        "truth of many",
        lambda: bool(f),
        RuntimeError,
        r"Boolean value of Tensor with more than one value is ambiguous",
    ),
    Refusal(
        "truth of none",
        lambda: bool(torch.empty(0)),
        RuntimeError,
        r"Boolean value of Tensor with no values is ambiguous",
    ),
    Refusal("len of number", lambda: len(torch.tensor(1)), TypeError, r"len\(\) of a 0-d tensor"),
    Refusal(
        "iterate number", lambda: iter(torch.tensor(1)), TypeError, r"iteration over a 0-d tensor"
    ),
]

ARGUMENTS = [
    Refusal("missing", lambda: torch.add(f), TypeError, r"add\(\)"),
    Refusal("wrong type", lambda: torch.add(f, "x"), TypeError, r"must be Tensor, not str"),
    Refusal(
        "unknown keyword",
        lambda: torch.add(f, f, beta=1),
        TypeError,
        r"unexpected keyword argument 'beta'|invalid combination",
    ),
    Refusal(
        "twice", lambda: torch.sum(f, input=f), TypeError, r"multiple values|invalid combination"
    ),
    Refusal(
        "too many arguments", lambda: torch.neg(f, f), TypeError, r"takes 1 positional argument"
    ),
    Refusal("string as size", lambda: torch.zeros("a"), TypeError, r"zeros\(\)"),
    Refusal("list of strings", lambda: torch.tensor(["a"]), (TypeError, ValueError), r"str"),
    Refusal(
        "ragged",
        lambda: torch.tensor([[1], [1, 2]]),
        ValueError,
        r"expected sequence of length 1 at dim 1 \(got 2\)",
    ),
    Refusal("device name", lambda: torch.device("gpu"), RuntimeError, r"gpu"),
    Refusal("NumPy dtype", lambda: torch.zeros(2, dtype="float32"), TypeError, r"dtype"),
    Refusal("threads", lambda: torch.set_num_threads(0), RuntimeError, r"positive"),
]

image = torch.ones(2, 4, 6, 6)
kernel = torch.ones(3, 4, 3, 3)

LAYERS = [
    Refusal(
        "convolution with a string",
        lambda: functional.conv2d(image, kernel, padding="full"),
        RuntimeError,
        r"Invalid padding string",
    ),
    Refusal(
        "same convolution with a stride",
        lambda: functional.conv2d(image, kernel, stride=2, padding="same"),
        RuntimeError,
        r"padding='same' is not supported for strided convolutions",
    ),
    Refusal(
        "convolution without an image",
        lambda: functional.conv2d(torch.ones(6, 6), kernel),
        RuntimeError,
        r"Expected 3D \(unbatched\) or 4D \(batched\) input to conv2d",
    ),
    Refusal(
        "convolution of a small image",
        lambda: functional.conv2d(torch.ones(1, 4, 2, 2), kernel),
        RuntimeError,
        r"Calculated padded input size per channel: \(2 x 2\). Kernel size: \(3 x 3\)",
    ),
    Refusal(
        "transposed convolution's channels",
        lambda: functional.conv_transpose2d(image, kernel),
        RuntimeError,
        r"to have 3 channels, but got 4 channels instead",
    ),
    Refusal(
        "transposed convolution's output padding",
        lambda: functional.conv_transpose2d(image, kernel.transpose(0, 1), output_padding=1),
        RuntimeError,
        r"output padding must be smaller than either stride or dilation",
    ),
    Refusal(
        "bias of a convolution",
        lambda: functional.conv2d(image, kernel, torch.ones(4)),
        RuntimeError,
        r"expected bias to be 1-dimensional with 3 elements",
    ),
    Refusal(
        "gradient of a convolution",
        lambda: torch.ops.aten.convolution_backward(
            image, image, kernel, None, [1, 1], [0, 0], [1, 1], False, [0, 0], 1, [True] * 3
        ),
        RuntimeError,
        r"grad_output",
    ),
    Refusal(
        "pooling's padding",
        lambda: torch._C._nn.avg_pool2d(image, 2, 2, 2),
        RuntimeError,
        r"pad should be at most half of effective kernel size",
    ),
    Refusal(
        "pooling by nothing",
        lambda: torch._C._nn.avg_pool2d(image, 2, divisor_override=0),
        RuntimeError,
        r"divisor must be not zero",
    ),
    Refusal(
        "normalized shape",
        lambda: torch.rms_norm(image, (7,)),
        RuntimeError,
        r"normalized_shape=\[7\], expected input with shape \[\*7\]",
    ),
    Refusal(
        "groups of channels",
        lambda: torch.group_norm(image, 3),
        RuntimeError,
        r"number of channels in input to be divisible by num_groups",
    ),
    Refusal(
        "evaluation without statistics",
        lambda: torch.batch_norm(image, None, None, None, None, False, 0.1, 1e-5, False),
        RuntimeError,
        r"running_mean must be defined in evaluation mode",
    ),
    Refusal(
        "running statistics",
        lambda: torch.batch_norm(image, None, None, v, v, True, 0.1, 1e-5, False),
        RuntimeError,
        r"running_mean should contain 4 elements not 3",
    ),
    Refusal(
        "padding with a value",
        lambda: torch._C._nn.pad(image, [1, 1], "reflect", 1.0),
        RuntimeError,
        r"Padding mode \"reflect\" doesn't take in value argument",
    ),
    Refusal(
        "padding mode",
        lambda: torch._C._nn.pad(image, [1, 1], "mirror"),
        NotImplementedError,
        r"Unrecognised padding mode mirror",
    ),
    Refusal(
        "padding of a vector",
        lambda: torch._C._nn.pad(v, [1, 1], "reflect"),
        NotImplementedError,
        r"Padding size 2 is not supported for 1D input tensor",
    ),
    Refusal(
        "reflection beyond the image",
        lambda: torch._C._nn.reflection_pad2d(image, [6, 0, 0, 0]),
        RuntimeError,
        r"Padding size should be less than the corresponding input dimension",
    ),
    Refusal(
        "circle beyond the image",
        lambda: torch._C._nn.pad(image, [7, 0, 0, 0], "circular"),
        RuntimeError,
        r"wrapping around more than once",
    ),
    Refusal(
        "odd padding",
        lambda: torch.constant_pad_nd(image, [1]),
        RuntimeError,
        r"Length of pad must be even",
    ),
    Refusal(
        "interpolation to nothing",
        lambda: torch.ops.aten.upsample_nearest2d.vec(image, None, None),
        RuntimeError,
        r"Must specify exactly one of output_size and scale_factors",
    ),
    Refusal(
        "dropout's probability",
        lambda: torch.dropout(image, 1.5, True),
        RuntimeError,
        r"dropout probability has to be between 0 and 1, but got 1.5",
    ),
]

LOSSES_AND_SEQUENCES = [
    Refusal(
        "probability above one",
        lambda: torch._C._nn.binary_cross_entropy(2 * v, v),
        RuntimeError,
        r"all elements of input should be between 0 and 1",
    ),
    Refusal(
        "softshrink's bound",
        lambda: torch._C._nn.softshrink(f, -1.0),
        RuntimeError,
        r"lambda must be in range \[0, 3.40282e\+38\] for input dtype Float, but found -1",
    ),
    Refusal(
        "class beyond the number of classes",
        lambda: torch._C._nn.one_hot(i, 1),
        RuntimeError,
        r"Class values must be smaller than num_classes",
    ),
    Refusal(
        "glu of an odd dimension",
        lambda: torch._C._nn.glu(f),
        RuntimeError,
        r"Halving dimension must be even",
    ),
    Refusal(
        "states of an lstm",
        lambda: torch.lstm(
            torch.ones(2, 1, 3), [torch.ones(1, 1, 4)], [], False, 1, 0.0, True, False, False
        ),
        RuntimeError,
        r"lstm expects two hidden states",
    ),
    Refusal(
        "dtypes of attention",
        lambda: torch._C._nn.scaled_dot_product_attention(f, f, f.double()),
        RuntimeError,
        r"Expected query, key, and value to have the same dtype",
    ),
    Refusal(
        "gradient of a weight of nll_loss",
        lambda: torch._C._nn.nll_loss(
            f, torch.zeros(2, dtype=torch.int64), torch.ones(3, requires_grad=True)
        ),
        RuntimeError,
        r"is not differentiable with respect to argument 'weight'",
    ),
]

REFUSALS = [*SHAPES, *INDICES, *TYPES, *EMPTY, *ARGUMENTS, *LAYERS, *LOSSES_AND_SEQUENCES]
