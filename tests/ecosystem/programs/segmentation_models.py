"""segmentation-models-pytorch: a U-Net and a FPN over small encoders train with the Dice loss."""

import segmentation_models_pytorch as smp

import torch
from report import report

torch.set_default_dtype(torch.float64)  # batches of two amplify rounding
torch.manual_seed(0)
images = torch.rand(2, 3, 32, 32)
masks = (torch.rand(2, 1, 32, 32) > 0.5).double()


def train(model):
    """Return the losses of two steps and the scores."""
    loss_of = smp.losses.DiceLoss(smp.losses.BINARY_MODE)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    losses = []
    for _ in range(2):
        loss = loss_of(model(images), masks)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss)
    chosen = (model.eval()(images).sigmoid() > 0.5).long()
    counts = smp.metrics.get_stats(chosen, masks.long(), mode="binary")
    return [*losses, smp.metrics.iou_score(*counts, reduction="micro")]


options = {"encoder_weights": None, "classes": 1}
report(unet=train(smp.Unet("resnet18", **options)), fpn=train(smp.FPN("mobilenet_v2", **options)))
