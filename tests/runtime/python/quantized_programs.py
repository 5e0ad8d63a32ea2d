"""Print what expressions with quantized tensors give, as JSON.

The script runs with the Python that TORCH_PEER names, too; it must not import anything of this project.
"""

import json
import math
import sys
import warnings

import torch
import torch.nn.functional as F  # noqa: F401 (the expressions name it)
from torch.ao import quantization as Q  # noqa: F401 (the expressions name it)

warnings.filterwarnings("ignore")

numbers = (torch.arange(24) * 37 % 41 - 20).view(4, 6) / 7
image = (torch.arange(50) * 29 % 53 - 25).view(1, 2, 5, 5) / 9
rows = torch.tensor([0.02, 0.03, 0.05, 0.01])
points = torch.tensor([1, -2, 3, 0])
# As many numbers as full registers of several widths have, and more.
ties = torch.arange(-301, 302) / 2
extremes = torch.tensor([math.nan, math.inf, -math.inf, -0.0, 2e9, -2e9, 1e30, -1e30]).repeat(16)
integers = torch.arange(256, dtype=torch.uint8)


def tensor(dtype=torch.quint8, scale=0.05, zero_point=3, values=None):
    return torch.quantize_per_tensor(
        numbers if values is None else values, scale, zero_point, dtype
    )


def channels(dtype=torch.qint8):
    return torch.quantize_per_channel(numbers, rows, points, 0, dtype)


ops = torch.ops.quantized


def linear(name, weight, bias=rows):
    return getattr(ops, name)(tensor(), ops.linear_prepack(weight, bias), 0.07, 11)


def kernel(channels, *size):
    total = 4 * channels * math.prod(size)
    values = ((torch.arange(total) * 31 % 47 - 23) / 40).view(4, channels, *size)
    return torch.quantize_per_channel(
        values, rows, torch.zeros(4, dtype=torch.long), 0, torch.qint8
    )


def convolution(name, weight, stride=1, padding=0, groups=1):
    packed = ops.conv2d_prepack(weight, rows, [stride] * 2, [padding] * 2, [1, 1], groups)
    return getattr(ops, name)(tensor(values=image), packed, 0.07, 11)


def table():
    weight = torch.quantize_per_channel(numbers, rows * 4, points.float(), 0, torch.quint8)
    return ops.embedding_bag_prepack(weight)


def sequence(name):
    """Return what a convolution of one dimension gives."""
    packed = ops.conv1d_prepack(kernel(2, 3), rows, [2], [1], [1], 1)
    return getattr(ops, name)(tensor(values=image.flatten(2)), packed, 0.07, 11)


def volume(name):
    """Return what a convolution of three dimensions gives, without ties between two integers."""
    packed = ops.conv3d_prepack(kernel(1, 2, 2, 2), rows, [1] * 3, [0, 1, 1], [1] * 3, 1)
    return getattr(ops, name)(tensor(values=image[None]), packed, 0.0613, 11)


def observed(observer, *tensors):
    for each in tensors or (numbers, numbers * 2 - 1, numbers.abs()):
        observer(each)
    return [*observer.calculate_qparams(), sorted(observer.state_dict().items())]


def rounded_by(module):
    x = numbers.clone().requires_grad_()
    results = [module(x), module(x * 1.5)]
    sum(each.sum() for each in results).backward()
    return [*results, x.grad, sorted(module.state_dict().items())]


CREATION = """
tensor()
tensor(torch.qint8)
tensor(torch.qint8, 0.013, -5)
tensor(torch.qint32, 0.001, 7)
tensor(torch.quint4x2, 0.5, 7)
tensor().dequantize()
[tensor(scale=1.0, zero_point=point, values=ties) for point in (0, 3, 128, 255)]
[tensor(scale=0.3, zero_point=point, values=ties) for point in (0, 255)]
[tensor(scale=1.0, zero_point=point, values=extremes) for point in (0, 128, 255)]
tensor(torch.qint8, 1.0, -128, ties)
[tensor(dtype, 0.0371, 33, (ties + 0.5) * 0.0371) for dtype in (torch.quint8, torch.qint8, torch.qint32)]
[tensor(dtype, 1.0, 7, ties) for dtype in (torch.qint8, torch.qint32)]
torch.quantize_per_channel(torch.stack([ties, ties * 0.5, ties * 0.0371]), torch.tensor([1.0, 0.5, 0.0371]), points[:3].abs(), 0, torch.qint8)
tensor(scale=1.0, values=ties * 0).copy_(ties)
tensor(scale=1.0, values=ties * 0).fill_(2.5)
tensor(scale=1.0, values=ties).clamp(2.5, 40.5)
tensor(scale=1.0, values=ties).masked_fill(ties > 0, 2.5)
torch.cat([tensor(scale=1.0, values=ties), tensor(scale=0.5, values=ties)])
F.pad(tensor(scale=1.0, values=ties), (960, 3), value=2.5)
tensor(scale=1.0, values=ties[:600]).view(2, 300).mean(0)
ops.leaky_relu(tensor(scale=0.5, values=ties[:576]), 0.5, False, 1.0, 3)
ops.linear_dynamic(ties[:600].view(100, 6) * 0.37, ops.linear_prepack(tensor(torch.qint8, 1.0, 0, torch.eye(6)), None))
[torch._make_per_tensor_quantized_tensor(integers, 0.037, 3 * i).dequantize() for i in range(85)]
torch._make_per_tensor_quantized_tensor(integers.to(torch.int8), 0.37, -128).dequantize()
torch._make_per_tensor_quantized_tensor(integers.view(4, 64)[:, 1:].t(), 1e-30, 9).dequantize()
tensor(values=image.contiguous(memory_format=torch.channels_last)).dequantize().stride()
tensor(values=image)[..., ::2].dequantize()
tensor(values=image[:, :1].expand(1, 3, 5, 5))
tensor(torch.qint32, 1e-9, 7)
channels()
channels().dequantize()
channels(torch.qint32)
channels().q_per_channel_scales()
channels().q_per_channel_zero_points()
channels().q_per_channel_axis()
torch.quantize_per_channel(numbers, rows, points.float(), 0, torch.quint8)
torch.quantize_per_channel(numbers, rows.repeat(2)[:6], torch.zeros(6, dtype=torch.int32), 1, torch.qint8)
torch.quantize_per_tensor([numbers, numbers[:2]], rows[:2], points.abs()[:2], torch.quint8)
torch.quantize_per_tensor(numbers, torch.tensor(0.3), torch.tensor(4), torch.qint8)
torch.quantize_per_tensor_dynamic(numbers, torch.quint8, True)
torch.quantize_per_tensor_dynamic(numbers, torch.qint8, False)
torch.quantize_per_tensor_dynamic(numbers.abs(), torch.quint8, False)
torch.quantize_per_tensor_dynamic(numbers * 0, torch.quint8, False)
torch.quantize_per_tensor_dynamic(numbers * 1e-7, torch.qint8, False)
torch._choose_qparams_per_tensor(numbers, True)
torch.dequantize([tensor(), channels()])
numbers.half().dequantize()
torch.empty_quantized([2, 3], tensor()).shape
torch._empty_affine_quantized(2, 3, scale=0.1, zero_point=2, dtype=torch.qint8).q_scale()
torch._make_per_tensor_quantized_tensor(torch.arange(4, dtype=torch.uint8), 0.5, 1)
torch._make_per_channel_quantized_tensor(torch.arange(4, dtype=torch.int8), rows, points, 0)
torch.quantize_per_tensor(numbers.half(), 1.0, 0, torch.quint8)
torch.quantize_per_tensor(numbers, 1.0, 0, torch.int8)
torch.quantize_per_tensor(numbers, 1.0, 300, torch.quint8)
torch.quantize_per_channel(numbers, rows[:2], points[:2], 0, torch.qint8)
numbers.q_scale()
numbers.int_repr()
tensor().q_per_channel_scales()
channels().q_scale()
repr(tensor())
repr(tensor(torch.qint8)[0, 0])
repr(tensor()[:0])
repr(channels())
torch.qint8.is_signed
torch.quint4x2.itemsize
tensor().qscheme()
tensor().is_quantized
"""
OPERATORS = """
tensor()[1]
tensor()[:, 2:5:2]
tensor()[torch.tensor([2, 0])]
tensor().permute(1, 0)
tensor().t().contiguous()
tensor().reshape(2, 12)
tensor().view(-1)
tensor().unsqueeze(1).squeeze()
tensor().chunk(2)
tensor().repeat(2, 1)
tensor().index_select(0, torch.tensor([1, 3]))
tensor().flip(0)
torch.stack([tensor(), tensor()])
torch.cat([tensor(), tensor()], 1)
torch.cat([tensor(), tensor(scale=0.1, zero_point=9)])
tensor().clone()
tensor().relu()
F.relu(tensor(torch.qint8))
tensor().clamp(-1, 2)
F.hardtanh(tensor(), -0.7, 0.9)
F.relu6(tensor())
tensor().sigmoid()
tensor(torch.qint8).sigmoid()
tensor().tanh()
tensor(torch.qint8).tanh()
tensor() == tensor(scale=0.1)
tensor() > 0.5
tensor() >= tensor(scale=0.1)
torch.equal(tensor(), tensor())
torch.equal(tensor(), tensor(scale=0.1))
tensor().max()
tensor().min()
tensor().max(1)
tensor().sort(1)
tensor().topk(2)[0]
tensor()[0, 0].item()
F.max_pool2d(tensor(values=image), 2)
F.max_pool2d(tensor(values=image), 3, 2, 1)
torch.quantized_max_pool2d(tensor(values=image), 2)
torch.quantized_max_pool1d(tensor(values=image[0]), 2)
F.avg_pool2d(tensor(values=image), 2)
F.adaptive_avg_pool2d(tensor(values=image), 2)
F.interpolate(tensor(values=image), scale_factor=2.0)
torch.quantized_batch_norm(tensor(values=image), rows[:2], rows[2:], rows[:2], rows[2:], 1e-5, 0.3, 4)
tensor().copy_(numbers.neg())
tensor().copy_(tensor(scale=0.2))
tensor().fill_(1.0)
tensor().masked_fill(numbers > 0, 1.0)
tensor().new_empty(2).shape
torch.empty_like(tensor()).shape
torch.zeros(4, 6).copy_(tensor())
tensor() + tensor()
tensor().sum()
-tensor()
tensor().requires_grad_()
tensor().numpy()
channels()[1]
channels()[:, 1:]
channels().clone()
channels().t()
channels().relu()
"""
FUNCTIONS = """
torch.ops.quantized.add(tensor(), tensor(scale=0.1), 0.3, 2)
torch.ops.quantized.add_relu(tensor(), tensor(scale=0.1), 0.3, 2)
torch.ops.quantized.mul(tensor(), tensor(scale=0.1), 0.3, 2)
torch.ops.quantized.mul_relu(tensor(), tensor(scale=0.1), 0.3, 2)
torch.ops.quantized.cat([tensor(), tensor(scale=0.1)], 0, 0.3, 2)
torch.ops.quantized.cat_relu([tensor(), tensor(scale=0.1)], 0, 0.3, 2)
torch.ops.quantized.add_scalar(tensor(), 2.0)
torch.ops.quantized.add_scalar(tensor(), -2.0)
torch.ops.quantized.mul_scalar(tensor(), 2.0)
torch.ops.quantized.mul_scalar(tensor(), -2.0)
torch.ops.quantized.mul_scalar(tensor(), 0.0)
torch.ops.quantized.hardswish(tensor(), 0.1, 4)
torch.ops.quantized.elu(tensor(), 0.1, 4)
torch.ops.quantized.leaky_relu(tensor(), 0.1, False, 0.1, 4)
torch.ops.quantized.sigmoid(tensor(), 0.1, 4)
ops.celu(tensor(), 0.1, 4, 0.7)
ops.relu6(tensor())
ops.threshold(tensor(), 0.3, 0.7)
ops.clamp(tensor(), -0.31, 1.23)
ops.dropout(tensor(), 0.1, 4, 0.5, False)
ops.softmax(tensor(), 1, 1 / 256, 0)
ops.matmul(tensor(), tensor(scale=0.1).t(), 0.3, 9)
ops.add_scalar_relu(tensor(), -0.3)
ops.mul_scalar_relu(tensor(), -0.3)
ops.batch_norm2d(tensor(values=image), rows[:2] * 40, rows[2:], rows[:2], rows[2:], 1e-5, 0.3, 4)
ops.batch_norm2d_relu(tensor(values=image), rows[:2] * 40, rows[2:], rows[:2], rows[2:], 1e-5, 0.3, 4)
ops.layer_norm(tensor(), [6], numbers[0], numbers[1], 1e-5, 0.1, 90)
ops.group_norm(tensor(values=image), 1, rows[:2] * 40, rows[2:], 1e-5, 0.1, 90)
ops.instance_norm(tensor(values=image), rows[:2] * 40, rows[2:], 1e-5, 0.1, 90)
ops.embedding_byte(table(), torch.tensor([2, 0, 3]))
ops.embedding_bag_byte(table(), torch.tensor([2, 0, 3]), torch.tensor([0, 1]))
ops.embedding_bag_prepack(numbers)
"""
ROUNDING = """
torch.fake_quantize_per_tensor_affine(numbers, 0.1, 3, -20, 20)
torch.fake_quantize_per_tensor_affine(numbers.half(), 0.1, 3, -20, 20)
torch.fake_quantize_per_tensor_affine(numbers.bfloat16(), 0.1, 3, -20, 20)
torch.fake_quantize_per_tensor_affine(numbers.double(), 0.1, 3, -20, 20)
torch.fake_quantize_per_tensor_affine(torch.tensor([torch.nan, torch.inf, -torch.inf, 1e30]), 0.1, 3, -20, 20)
torch.fake_quantize_per_tensor_affine(numbers, torch.tensor([0.1]), torch.tensor([3]), -20, 20)
torch.fake_quantize_per_tensor_affine(numbers, 0.1, 30, -20, 20)
torch.fake_quantize_per_tensor_affine(numbers, 0.1, 3, 20, -20)
torch.fake_quantize_per_tensor_affine(numbers.int(), 0.1, 3, -20, 20)
torch.ops.aten.fake_quantize_per_tensor_affine_cachemask(numbers, 0.1, 3, -20, 20)
torch._fake_quantize_per_tensor_affine_cachemask_tensor_qparams(numbers, rows[:1], points[:1], torch.tensor([0]), -20, 20)
torch.fake_quantize_per_channel_affine(numbers, rows, points.int(), 0, -20, 20)
torch.fake_quantize_per_channel_affine(numbers, rows, points.float() + 0.3, 0, -20, 20)
torch.fake_quantize_per_channel_affine(numbers.t(), rows, points.int(), 1, -20, 20)
torch.fake_quantize_per_channel_affine(numbers, rows, points, 0, -20, 20)
torch.fake_quantize_per_channel_affine(numbers, rows, points.int(), -2, -20, 20)
torch.fake_quantize_per_channel_affine(numbers, rows, points.int(), 2, -20, 20)
torch.fake_quantize_per_channel_affine(numbers, rows[:2], points.int(), 0, -20, 20)
torch.fake_quantize_per_channel_affine(numbers, rows, points.int(), 0, 2, 20)
torch._fake_quantize_learnable_per_tensor_affine(numbers, torch.tensor([0.1]), torch.tensor([2.5]), -8, 7, 0.7)
torch._fake_quantize_learnable_per_channel_affine(numbers, rows, points + 0.5, 0, -8, 7, 0.7)
torch._int_mm(torch.arange(12, dtype=torch.int8).view(3, 4), torch.arange(8, dtype=torch.int8).view(4, 2) * -9)
torch._int_mm(torch.full((2, 600), 255, dtype=torch.uint8), torch.full((600, 2), -128, dtype=torch.int8))
torch._int_mm(torch.ones(2, 3, dtype=torch.int8), torch.ones(2, 3, dtype=torch.int8))
torch._int_mm(torch.ones(2, 3), torch.ones(3, 3, dtype=torch.int8))
"""
OBSERVERS = """
observed(Q.MinMaxObserver())
observed(Q.MinMaxObserver(torch.qint8, torch.per_tensor_symmetric))
observed(Q.MinMaxObserver(torch.quint8, torch.per_tensor_symmetric))
observed(Q.MinMaxObserver(reduce_range=True))
observed(Q.MinMaxObserver(quant_min=0, quant_max=15))
observed(Q.MinMaxObserver(torch.qint32))
observed(Q.MinMaxObserver(torch.qint8), numbers[:0])
observed(Q.MovingAverageMinMaxObserver())
observed(Q.MovingAverageMinMaxObserver(0.3, torch.qint8))
observed(Q.PerChannelMinMaxObserver())
observed(Q.PerChannelMinMaxObserver(1, torch.qint8, torch.per_channel_symmetric))
observed(Q.PerChannelMinMaxObserver(0, torch.quint8, torch.per_channel_affine_float_qparams))
observed(Q.MovingAveragePerChannelMinMaxObserver(0.2))
observed(Q.FixedQParamsObserver(0.1, 3))
observed(Q.HistogramObserver())
observed(Q.HistogramObserver(reduce_range=True), numbers, numbers * 20, numbers / 20)
observed(Q.HistogramObserver(reduce_range=True), numbers.exp(), numbers * 3)
observed(Q.HistogramObserver(reduce_range=True), image**3)
observed(Q.HistogramObserver(dtype=torch.qint8, qscheme=torch.per_tensor_symmetric), numbers.exp(), numbers)
observed(Q.HistogramObserver(bins=64), torch.ones(3), numbers * 1e3)
observed(Q.HistogramObserver(), torch.zeros(3), torch.zeros(2))
observed(Q.HistogramObserver(), numbers, torch.tensor([1.0, float("inf")]))
observed(Q.HistogramObserver(), numbers[:0])
observed(Q.default_histogram_observer(), numbers.relu())
Q.HistogramObserver(qscheme=torch.per_channel_affine)
Q.HistogramObserver(is_dynamic=True)
repr(Q.HistogramObserver())
repr(Q.get_default_qconfig())
repr(Q.get_default_qconfig("qnnpack"))
Q.get_default_qconfig("other")
Q.get_default_qconfig("x86", 1)
Q.MinMaxObserver(qscheme=torch.per_channel_affine)
Q.MinMaxObserver(quant_min=5, quant_max=7)
repr(Q.MinMaxObserver())
repr(Q.PerChannelMinMaxObserver())
repr(Q.PlaceholderObserver())
repr(Q.FakeQuantize())
repr(Q.qconfig.default_qconfig)
repr(Q.get_default_qat_qconfig("fbgemm"))
repr(Q.get_default_qat_qconfig("qnnpack", 0))
Q.QConfig(Q.MinMaxObserver(), None)
rounded_by(Q.FakeQuantize())
rounded_by(Q.FakeQuantize(Q.MovingAverageMinMaxObserver, 0, 15))
rounded_by(Q.FakeQuantize(Q.MovingAveragePerChannelMinMaxObserver, -128, 127, dtype=torch.qint8, qscheme=torch.per_channel_symmetric, ch_axis=1))
rounded_by(Q.FixedQParamsFakeQuantize(Q.FixedQParamsObserver.with_args(scale=0.1, zero_point=3)))
rounded_by(Q.FusedMovingAvgObsFakeQuantize())
rounded_by(Q.get_default_qat_qconfig("fbgemm").weight())
rounded_by(Q.get_default_qat_qconfig("fbgemm").activation())
rounded_by(Q.get_default_qat_qconfig("qnnpack", 0).weight())
rounded_by(Q.fake_quantize.default_embedding_fake_quant())
"""
PRODUCTS = """
linear("linear", tensor(torch.qint8, 0.02, 0))
linear("linear", channels())
linear("linear_relu", channels())
linear("linear", tensor(torch.qint8, 0.02, 5), None)
ops.linear_unpack(ops.linear_prepack(channels(), rows))
ops.linear_dynamic(numbers * 2, ops.linear_prepack(channels(), rows), True)
ops.linear_dynamic(numbers, ops.linear_prepack(tensor(torch.qint8, 0.02, 0), None))
ops.linear_relu_dynamic(numbers, ops.linear_prepack(channels(), rows))
ops.linear_prepack(tensor())
ops.linear_prepack(numbers)
ops.linear(tensor(torch.qint8), ops.linear_prepack(channels()), 0.1, 0)
convolution("conv2d", kernel(2, 3, 3))
convolution("conv2d_relu", kernel(2, 3, 3), groups=1, padding=1)
convolution("conv2d", kernel(1, 2, 2), groups=2, stride=2)
sequence("conv1d")
sequence("conv1d_relu")
volume("conv3d")
volume("conv3d_relu")
ops.linear_dynamic_fp16(numbers.mul(7), ops.linear_prepack_fp16(numbers.mul(3).round(), points.float()))
ops.linear_relu_dynamic_fp16(numbers.mul(7), ops.linear_prepack_fp16(numbers.mul(3).round(), None))
ops.linear_unpack_fp16(ops.linear_prepack_fp16(numbers * 0.3, rows))
ops.linear(numbers, ops.linear_prepack(channels()), 0.1, 0)
ops.conv2d_unpack(ops.conv2d_prepack(kernel(2, 3, 3), rows, [1, 1], [0, 0], [1, 1], 1))
"""
GROUPS = {
    "products": PRODUCTS,
    "creation": CREATION,
    "operators": OPERATORS,
    "functions": FUNCTIONS,
    "rounding": ROUNDING,
    "observers": OBSERVERS,
}


def described(value):
    """Return a value in a form that JSON can hold and that shows every bit."""
    if isinstance(value, torch.Tensor) and value.is_quantized:
        per_tensor = value.qscheme() == torch.per_tensor_affine
        parameters = (
            [value.q_scale(), value.q_zero_point()]
            if per_tensor
            else [value.q_per_channel_scales(), value.q_per_channel_zero_points()]
        )
        parts = [value.int_repr(), *parameters]
        return [str(value.dtype), str(value.qscheme()), *map(described, parts)]
    if isinstance(value, torch.Tensor):
        values = value.detach()
        numbers = values.double() if values.is_floating_point() else values
        return [str(value.dtype), list(value.shape), repr(numbers.tolist())]
    if isinstance(value, (list, tuple)):
        return [described(each) for each in value]
    return value if isinstance(value, (bool, int, float, str)) else str(value)


def outcome(expression):
    try:
        return described(eval(expression))
    except Exception as error:
        return type(error).__name__


if __name__ == "__main__":
    wanted = GROUPS[sys.argv[1]].strip().splitlines()
    print(json.dumps({expression: outcome(expression) for expression in wanted}))
