"""fvcore: operations and activations of models by operator, counted on the graphs of traces."""

import logging

import timm
from fvcore.nn import ActivationCountAnalysis, FlopCountAnalysis, flop_count_table, parameter_count

import torch
from report import report
from torch import nn

logging.disable(logging.WARNING)
torch.manual_seed(0)
models = {
    "resnet": (timm.create_model("resnet18").eval(), torch.randn(1, 3, 64, 64)),
    "transformer": (timm.create_model("vit_tiny_patch16_224").eval(), torch.randn(1, 3, 224, 224)),
    "mobile": (timm.create_model("mobilenetv3_small_100").eval(), torch.randn(1, 3, 64, 64)),
    "encoder": (nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), torch.randn(2, 5, 8)),
    "recurrent": (nn.LSTM(3, 4, 2), torch.randn(5, 2, 3)),
    "upwards": (
        nn.Sequential(
            nn.ConvTranspose2d(3, 4, 3, 2), nn.GroupNorm(2, 4), nn.Upsample(scale_factor=2)
        ),
        torch.randn(2, 3, 4, 4),
    ),
}
found = {}
for name, (model, example) in models.items():
    flops = FlopCountAnalysis(model, example)
    activations = ActivationCountAnalysis(model, example)
    found[name] = [
        flops.total(),
        activations.total(),
        parameter_count(model)[""],
        [count for _, count in sorted(flops.by_operator().items())],
        [*flops.by_module().values()],
        [*activations.by_module().values()],
        len(flops.uncalled_modules()),
        sum(map(ord, flop_count_table(flops))),
    ]
report(**found)
