"""torchvision: models with random weights train and give features; transforms of images."""

from torchvision import models, ops
from torchvision.models.feature_extraction import create_feature_extractor
from torchvision.transforms import v2

import torch
from report import report

torch.manual_seed(0)
torch.set_default_dtype(torch.float64)  # batches of four amplify rounding
images = torch.rand(4, 3, 32, 32)
labels = torch.tensor([0, 1, 2, 3])


def train(model):
    """Return the losses of two steps and the output in evaluation mode."""
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9, weight_decay=1e-4)
    losses = []
    for _ in range(2):
        optimizer.zero_grad()
        output = model(images)
        loss = torch.nn.functional.cross_entropy(output, labels, label_smoothing=0.1)
        loss.backward()
        optimizer.step()
        losses.append(loss)
    with torch.no_grad():
        return [*losses, model.eval()(images)]


resnet = models.resnet18(num_classes=10)
results = {"resnet18": train(resnet)}
features = create_feature_extractor(resnet, {"layer1": "low", "avgpool": "high"})(images)
for name in ("mobilenet_v3_small", "shufflenet_v2_x0_5"):
    torch.manual_seed(1)
    results[name] = train(models.get_model(name, num_classes=10, weights=None))
torch.manual_seed(2)
size = {"image_size": 32, "patch_size": 8, "num_layers": 2, "num_heads": 4, "hidden_dim": 32}
results["vit"] = train(models.VisionTransformer(mlp_dim=64, num_classes=10, **size))
steps = [v2.RandomHorizontalFlip(1.0), v2.CenterCrop(24), v2.Normalize([0.5] * 3, [0.2] * 3)]
moved = v2.Compose(steps)(images)
boxes = torch.tensor([[0.0, 0.0, 10.0, 10.0], [2.0, 2.0, 12.0, 12.0]])
report(
    low=features["low"],
    high=features["high"],
    moved=moved,
    iou=ops.box_iou(boxes, boxes),
    **results,
)
