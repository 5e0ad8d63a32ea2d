"""Quantize models, and print what they are and compute, as JSON.

    python quantized_models.py GROUP            prints the results of a group
    python quantized_models.py GROUP save FILE  also saves the state dictionaries of the group's models
    python quantized_models.py GROUP load FILE  first loads them into models of other weights

The script runs with the Python that TORCH_PEER names, too; it must not import anything of this project.
"""

import json
import math
import sys
import warnings

import torch
from torch import nn
from torch.ao import quantization as Q
from torch.ao.nn import quantized as nnq

warnings.filterwarnings("ignore")
shift = (
    1 if "load" in sys.argv else 0
)  # so that a model that loads a state has other weights at first


def numbers(*shape):
    """Return numbers between -1 and 1 in no apparent order."""
    count = math.prod(shape)
    return ((torch.arange(count) * 37 + 11 * shift) % 97 - 48).reshape(shape) / 48


def filled(model):
    """Give a model weights that do not depend on a generator of random numbers."""
    with torch.no_grad():
        for parameter in model.parameters():
            fan = max(1, parameter[0].numel()) if parameter.dim() else 1
            parameter.copy_(numbers(*parameter.shape) / math.sqrt(fan))
        for module in model.modules():
            if isinstance(module, nn.modules.batchnorm._BatchNorm):
                module.running_mean.copy_(numbers(module.num_features) / 5)
                module.running_var.copy_(numbers(module.num_features).abs() + 0.5)
                module.weight.add_(1.5)
    return model


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.norm1, self.relu = (
            nn.Conv2d(4, 4, 3, padding=1),
            nn.BatchNorm2d(4),
            nn.ReLU(),
        )
        self.conv2, self.norm2 = nn.Conv2d(4, 4, 3, padding=1, bias=False), nn.BatchNorm2d(4)
        self.sum = nnq.FloatFunctional()

    def forward(self, x):
        return self.sum.add_relu(self.norm2(self.conv2(self.relu(self.norm1(self.conv1(x))))), x)


class Image(nn.Module):
    groups = (
        ("block.conv1", "block.norm1", "block.relu"),
        ("block.conv2", "block.norm2"),
        ("last", "relu"),
    )

    def __init__(self):
        super().__init__()
        self.quant, self.dequant = Q.QuantStub(), Q.DeQuantStub()
        self.first, self.act = nn.Conv2d(2, 4, 3, stride=2, groups=2), nn.Hardswish()
        self.block, self.pool = Block(), nn.AdaptiveAvgPool2d(2)
        self.linear, self.gate, self.drop = nn.Linear(16, 6), nn.Sigmoid(), nn.Dropout(0.0)
        self.last, self.relu = nn.Linear(6, 3), nn.ReLU()

    def forward(self, x):
        x = self.pool(self.block(self.act(self.first(self.quant(x)))))
        return self.dequant(self.relu(self.last(self.drop(self.gate(self.linear(x.flatten(1)))))))


def calibrated(model, *inputs, qconfig=None):
    """Quantize a model with observers that have seen some inputs."""
    model.qconfig = qconfig or Q.get_default_qconfig("x86")
    observed = Q.prepare(model.eval())
    for each in inputs:
        observed(each)
    return observed, Q.convert(observed)


def static():
    model, x = filled(Image()).eval(), numbers(3, 2, 9, 9)
    Q.fuse_modules(model, [list(names) for names in model.groups], inplace=True)
    observed, quantized = calibrated(model, x, x * 1.5)
    states = Q.get_observer_state_dict(observed)
    yield "observers", list(states)
    yield "images", quantized, quantized(x), x


def wrapped(layer, *shape, weight=Q.default_per_channel_weight_observer):
    x, results = numbers(*shape) * 2, Q.MinMaxObserver.with_args(reduce_range=True)
    model = Q.QuantWrapper(filled(layer))
    _, quantized = calibrated(model, x, qconfig=Q.QConfig(results, weight))
    return f"{layer} {shape}", quantized, quantized(x), x


def layers():
    yield wrapped(nn.Conv1d(4, 6, 3, padding=1, dilation=2, groups=2), 2, 4, 9)
    yield wrapped(nn.Conv2d(4, 6, (3, 2), stride=2), 2, 4, 7, 7)
    yield wrapped(nn.Conv2d(4, 6, 3, padding=2, padding_mode="reflect"), 2, 4, 7, 7)
    yield wrapped(nn.Conv3d(2, 4, 2, bias=False), 2, 2, 4, 5, 5)
    for kind, shape in ((nn.ConvTranspose1d, (2, 8, 5)), (nn.ConvTranspose2d, (2, 8, 5, 5))):
        layer = kind(8, 8, 3, stride=2, padding=1, output_padding=1, groups=2)
        yield wrapped(layer, *shape, weight=Q.default_weight_observer)
    yield wrapped(nn.BatchNorm2d(4), 2, 4, 5, 5)
    yield wrapped(nn.BatchNorm3d(4), 2, 4, 3, 3, 3)
    yield wrapped(nn.LayerNorm(6), 3, 6)
    yield wrapped(nn.GroupNorm(2, 4), 2, 4, 5)
    yield wrapped(nn.InstanceNorm1d(4, affine=True), 2, 4, 5)
    yield wrapped(nn.InstanceNorm2d(4, affine=True), 2, 4, 5, 5)
    yield wrapped(nn.ELU(0.7), 4, 5)
    yield wrapped(nn.Hardswish(), 4, 5)
    yield wrapped(nn.LeakyReLU(0.2), 4, 5)
    yield wrapped(nn.ReLU6(), 4, 5)
    yield wrapped(nn.Sequential(nn.Linear(5, 4), nn.MaxPool1d(2)), 3, 5)
    symmetric = Q.qconfig.default_per_channel_symmetric_qnnpack_qconfig.weight
    yield wrapped(nn.Linear(5, 4), 3, 5, weight=symmetric)


class Functions(nn.Module):
    def __init__(self):
        super().__init__()
        self.quant, self.dequant = Q.QuantStub(), Q.DeQuantStub()
        self.add, self.mul, self.cat, self.product = (nnq.FloatFunctional() for _ in range(4))

    def forward(self, x):
        x = self.quant(x)
        y = self.mul.mul(self.add.add(x, x), x)
        y = self.cat.cat([self.add.add_scalar(y, 0.3), self.mul.mul_scalar(x, -2.0)], dim=1)
        return self.dequant(self.product.matmul(x, y))


def functions():
    x = numbers(4, 4)
    _, quantized = calibrated(Functions(), x)
    yield "functions", quantized, quantized(x), x


class Text(nn.Module):
    def __init__(self):
        super().__init__()
        self.rows, self.lstm = (
            nn.Embedding(11, 6),
            nn.LSTM(6, 5, 2, bidirectional=True, batch_first=True),
        )
        self.gru, self.linear = nn.GRU(10, 4), nn.Linear(4, 3)

    def forward(self, x):
        outputs, _ = self.lstm(self.rows(x))
        outputs, state = self.gru(outputs.transpose(0, 1))
        return self.linear(outputs[-1] + state[0]).relu()


class Memory(nn.Module):
    def __init__(self, **options):
        super().__init__()
        self.quant, self.dequant, self.lstm = (
            Q.QuantStub(),
            Q.DeQuantStub(),
            nn.LSTM(3, 4, **options),
        )

    def forward(self, x):
        return self.dequant(self.lstm(self.quant(x))[0])


def recurrent():
    x = numbers(5, 2, 3)
    for options in ({}, {"num_layers": 2, "batch_first": True}, {"bidirectional": True}):
        model = filled(Memory(**options)).eval()
        results = Q.MinMaxObserver.with_args(reduce_range=True)
        _, quantized = calibrated(model, x, qconfig=Q.QConfig(results, Q.default_weight_observer))
        yield f"{options}", quantized, quantized(x), x


class Cells(nn.Module):
    def __init__(self):
        super().__init__()
        self.cells = nn.ModuleList([nn.LSTMCell(3, 4), nn.GRUCell(4, 4), nn.RNNCell(4, 4)])

    def forward(self, x):
        state, _ = self.cells[0](x)
        return self.cells[2](self.cells[1](state, state), state)


class Encoder(nn.Module):
    """An encoder of sequences in the style of BERT: attention, two linear layers, normalization."""

    def __init__(self):
        super().__init__()
        self.query, self.key, self.value, self.out = (nn.Linear(8, 8) for _ in range(4))
        self.wide, self.narrow, self.norm = nn.Linear(8, 16), nn.Linear(16, 8), nn.LayerNorm(8)

    def forward(self, x):
        parts = [
            layer(x).unflatten(-1, (2, 4)).transpose(1, 2)
            for layer in (self.query, self.key, self.value)
        ]
        seen = nn.functional.scaled_dot_product_attention(*parts)
        x = self.norm(x + self.out(seen.transpose(1, 2).flatten(2)))
        return self.norm(x + self.narrow(nn.functional.gelu(self.wide(x))))


def dynamic():
    tokens = torch.arange(14).reshape(2, 7) * 5 % 11
    for dtype in (torch.qint8, torch.float16):
        text = Q.quantize_dynamic(filled(Text()), dtype=dtype)
        yield f"text {dtype}", text, text(tokens), tokens
    cells = Q.quantize_dynamic(filled(Cells()))
    yield "cells", cells, cells(numbers(2, 3)), numbers(2, 3)
    encoder = Q.quantize_dynamic(filled(Encoder()), {nn.Linear}, dtype=torch.qint8)
    yield "encoder", encoder, encoder(numbers(2, 5, 8)), numbers(2, 5, 8)
    packed = nn.utils.rnn.pack_padded_sequence(numbers(4, 3, 6), [4, 2, 1])
    lstm = Q.quantize_dynamic(nn.Sequential(filled(nn.LSTM(6, 3))))
    yield "packed", lstm[0](packed)[0].data
    fused = Q.fuse_modules(nn.Sequential(filled(nn.Linear(3, 4)), nn.ReLU()).eval(), ["0", "1"])
    spec = {type(fused[0]): Q.default_dynamic_qconfig}
    fused = Q.quantize_dynamic(fused, spec)
    yield "fused", fused, fused(numbers(5, 3)), numbers(5, 3)


def tables():
    for dtype, kinds in ((torch.quint8, None), (torch.quint4x2, None)):
        model = nn.Sequential(filled(nn.EmbeddingBag(9, 6, mode="sum")))
        model = Q.quantize_dynamic(model, kinds, dtype=dtype)
        x = torch.arange(12).reshape(3, 4) % 9
        yield f"bags {dtype}", model, model(x), x
    model = Q.quantize_dynamic(nn.Sequential(filled(nn.Embedding(9, 6))), dtype=torch.quint8)
    yield "rows", model, model(torch.tensor([2, 8])), torch.tensor([2, 8])


def trained(model, x, steps=3, groups=()):
    model.train()
    model.qconfig = Q.get_default_qat_qconfig("x86")
    Q.fuse_modules_qat(model, [list(names) for names in groups], inplace=True)
    model = Q.prepare_qat(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    losses = []
    for _ in range(steps):
        loss = model(x).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss)
    return model, losses


def training():
    x = numbers(3, 2, 9, 9)
    model, losses = trained(filled(Image()), x, 3, Image.groups)
    yield "losses", losses
    model.eval().apply(Q.disable_observer)
    yield "model", model, model(x), x
    quantized = Q.convert(model)
    yield "quantized", quantized, quantized(x), x
    layers = nn.Sequential(nn.Linear(4, 5), nn.BatchNorm1d(5), nn.Linear(5, 3))
    x = numbers(6, 4)
    model, losses = trained(Q.QuantWrapper(filled(layers)), x, 3, [("module.0", "module.1")])
    yield "linear losses", losses
    quantized = Q.convert(model.eval())
    yield "linear", quantized, quantized(x), x
    model.apply(Q.disable_observer)
    model.apply(torch.ao.nn.intrinsic.qat.freeze_bn_stats)
    yield "frozen", model(x)


def described(value):
    """Return a value in a form that JSON can hold."""
    if isinstance(value, torch.Tensor) and value.is_quantized:
        return described(value.dequantize())
    if isinstance(value, torch.Tensor):
        return value.detach().double().tolist()
    if isinstance(value, (list, tuple)):
        return [described(each) for each in value]
    return value


def shape_of(value):
    return tuple(value.shape) if isinstance(value, torch.Tensor) else ""


def results(group, mode, file):
    """Return the results of a group: the text and the keys of each model, and what it computes."""
    found, saved = {}, torch.load(file, weights_only=False) if mode == "load" else {}
    for name, value, *rest in globals()[group]():
        if not rest:
            found[name] = described(value)
            continue
        output, x = rest
        if mode == "load":
            value.load_state_dict(saved[name][0])
            output = value(saved[name][1])
        saved[name] = (value.state_dict(), x)
        found[name] = {
            "text": ""
            if "Instance" in name
            else repr(value),  # PyTorch takes `affine` for the momentum
            "keys": [f"{key} {shape_of(each)}" for key, each in value.state_dict().items()],
            "output": described(output),
        }
    if mode == "save":
        torch.save(saved, file)
    return found


if __name__ == "__main__":
    _, wanted, *options = sys.argv
    print(json.dumps(results(wanted, *(options or ("show", None)))))
