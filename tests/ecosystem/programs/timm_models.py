"""timm: models with random weights train with its optimizers, schedules and augmentations."""

import numpy
import timm
from timm.data import Mixup
from timm.loss import SoftTargetCrossEntropy
from timm.optim import create_optimizer_v2
from timm.scheduler import CosineLRScheduler

import torch
from report import report

torch.manual_seed(0)
numpy.random.seed(0)
images, labels = torch.rand(4, 3, 32, 32), torch.tensor([0, 1, 2, 3])
mixed, targets = Mixup(mixup_alpha=0.8, num_classes=10)(images.clone(), labels)


def train(name, optimizer, **options):
    """Return the losses of two steps and the output in evaluation mode."""
    torch.manual_seed(1)
    model = timm.create_model(name, num_classes=10, **options)
    steps = create_optimizer_v2(model, opt=optimizer, lr=1e-3, weight_decay=0.05)
    schedule = CosineLRScheduler(steps, t_initial=5, warmup_t=1, warmup_lr_init=1e-4)
    losses = []
    for step in range(2):
        schedule.step(step)
        steps.zero_grad()
        loss = SoftTargetCrossEntropy()(model(mixed), targets)
        loss.backward()
        steps.step()
        losses.append(loss)
    with torch.no_grad():
        return [*losses, model.eval()(images)]


vit = {"img_size": 32, "depth": 2}
report(
    mixed=mixed,
    resnet18=train("resnet18", "sgd"),
    vit=train("vit_tiny_patch16_224", "adamw", **vit),
    lion=train("vit_tiny_patch16_224", "lion", **vit),
    lamb=train("vit_tiny_patch16_224", "lamb", **vit),
    convnext=train("convnext_atto", "adamw", depths=(1, 1, 1, 1)),
    efficientnet=train("test_efficientnet", "rmsproptf"),
    names=len(timm.list_models("resnet*")),
)
