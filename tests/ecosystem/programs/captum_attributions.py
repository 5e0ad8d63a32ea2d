"""captum: attributions of a small convolutional network by gradients, perturbation and layers."""

from captum.attr import (
    DeepLift,
    FeatureAblation,
    GuidedBackprop,
    InputXGradient,
    IntegratedGradients,
    LayerConductance,
    LayerGradCam,
    NoiseTunnel,
    Occlusion,
    Saliency,
)

import torch
from report import report
from torch import nn

torch.manual_seed(0)
layers = [nn.Conv2d(1, 4, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(36, 3)]
model = nn.Sequential(*layers).eval()
images = torch.rand(2, 1, 8, 8, requires_grad=True)
target = torch.tensor([0, 2])
integrated, delta = IntegratedGradients(model).attribute(
    images, target=target, n_steps=20, return_convergence_delta=True
)
torch.manual_seed(1)
noisy = NoiseTunnel(Saliency(model)).attribute(images, target=target, nt_samples=4, stdevs=0.1)
report(
    integrated=integrated,
    delta=delta,
    noisy=noisy,
    saliency=Saliency(model).attribute(images, target=target),
    product=InputXGradient(model).attribute(images, target=target),
    guided=GuidedBackprop(model).attribute(images, target=target),
    deep=DeepLift(model).attribute(images, torch.zeros_like(images), target=target),
    camera=LayerGradCam(model, model[0]).attribute(images, target=target),
    layer=LayerConductance(model, model[0]).attribute(images, target=target, n_steps=10),
    ablation=FeatureAblation(model).attribute(images, target=target),
    hidden=Occlusion(model).attribute(images, (1, 3, 3), strides=(1, 2, 2), target=target),
)
