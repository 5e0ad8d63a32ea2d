"""pytorch-metric-learning: losses, miners and distances of embeddings."""

from pytorch_metric_learning import distances, losses, miners, reducers

import torch
from report import report

torch.manual_seed(0)
points = torch.randn(16, 8, requires_grad=True)
labels = torch.arange(16) % 4
found = {}
mined = miners.MultiSimilarityMiner()(points, labels)
hard = miners.TripletMarginMiner(margin=0.2, type_of_triplets="semihard")(points, labels)
torch.manual_seed(1)
kinds = {
    "triplet": losses.TripletMarginLoss(),
    "contrastive": losses.ContrastiveLoss(
        distance=distances.CosineSimilarity(), pos_margin=1, neg_margin=0
    ),
    "ntxent": losses.NTXentLoss(),
    "supcon": losses.SupConLoss(),
    "circle": losses.CircleLoss(),
    "lifted": losses.LiftedStructureLoss(),
    "multi": losses.MultiSimilarityLoss(reducer=reducers.MeanReducer()),
    "arc": losses.ArcFaceLoss(4, 8),
    "proxy": losses.ProxyAnchorLoss(4, 8),
}
for name, loss in kinds.items():
    value = loss(points, labels)
    found[name] = [value, *torch.autograd.grad(value, points)]
report(mined=list(mined), hard=list(hard), **found)
