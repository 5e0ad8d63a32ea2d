"""torch-pruning: channels are removed along the graph of gradients; the model trains and is stored."""

import torch_pruning
import torchvision

import torch
from report import report

torch.manual_seed(0)
image, batch = torch.randn(1, 3, 64, 64), torch.randn(4, 3, 64, 64)
model = torchvision.models.resnet18(num_classes=10)
pruner = torch_pruning.pruner.MagnitudePruner(
    model,
    image,
    importance=torch_pruning.importance.MagnitudeImportance(p=2),
    pruning_ratio=0.5,
    ignored_layers=[model.fc],
    iterative_steps=2,
)
counts, outputs = [], []
for _ in range(2):
    pruner.step()
    counts += torch_pruning.utils.count_ops_and_params(model, image)
    outputs.append(model.eval()(image))
model.train()(batch).sum().backward()
torch.save(model, "pruned.pt")
restored = torch.load("pruned.pt", weights_only=False).eval()

small = torchvision.models.mobilenet_v3_small(num_classes=10)
pruner = torch_pruning.pruner.MetaPruner(
    small,
    image,
    importance=torch_pruning.importance.TaylorImportance(),
    pruning_ratio=0.3,
    ignored_layers=[small.classifier[-1]],
)
small(batch).sum().backward()
pruner.step()
report(
    counts=counts,
    outputs=outputs,
    gradient=model.conv1.weight.grad,
    restored=restored(image),
    by_gradients=small.eval()(image),
)
