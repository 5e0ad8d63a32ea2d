"""piq and pytorch-msssim: measures of images and their gradients."""

import piq
import pytorch_msssim

import torch
from report import report

torch.manual_seed(0)
first, second = torch.rand(1, 3, 176, 176, requires_grad=True), torch.rand(1, 3, 176, 176)
measured = {}
for name in (
    "ssim",
    "multi_scale_ssim",
    "psnr",
    "fsim",
    "gmsd",
    "vsi",
    "mdsi",
    "haarpsi",
    "vif_p",
    "dss",
    "srsim",
):
    value = getattr(piq, name)(first, second, data_range=1.0)
    measured[name] = [value, torch.autograd.grad(value, first)[0]]
value = pytorch_msssim.ms_ssim(first, second, data_range=1.0)
measured["ms_ssim"] = [value, torch.autograd.grad(value, first)[0]]
features = torch.rand(20, 8), torch.rand(20, 8)
measured["of_features"] = [piq.FID()(*features), piq.KID()(*features)]
report(variation=piq.total_variation(first), **measured)
