"""monai: networks for medical images train, with its losses, metrics, transforms and sliding windows."""

from monai.inferers import sliding_window_inference
from monai.losses import DiceCELoss, FocalLoss, TverskyLoss
from monai.metrics import DiceMetric
from monai.networks.nets import AttentionUnet, SegResNet, UNet, ViT
from monai.transforms import Compose, GaussianSmooth, Resize, Rotate, ScaleIntensity

import torch
from report import report

torch.manual_seed(0)
volume, labels = torch.rand(1, 1, 16, 16, 16), (torch.rand(1, 1, 16, 16, 16) > 0.5).float()
network = UNet(3, 1, 1, (4, 8, 16), (2, 2), num_res_units=1)
optimizer, losses = torch.optim.Adam(network.parameters(), 1e-3), []
for _ in range(3):
    loss = DiceCELoss(sigmoid=True)(network(volume), labels)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    losses.append(loss)
with torch.no_grad():
    large = torch.rand(1, 1, 20, 18, 16)
    windows = sliding_window_inference(large, (16, 16, 16), 2, network, 0.25, mode="gaussian")
residual = SegResNet(spatial_dims=2, init_filters=8, in_channels=1, out_channels=2)
attention = AttentionUnet(2, 1, 2, (4, 8), (2,))
small = {"hidden_size": 16, "mlp_dim": 32, "num_layers": 2, "num_heads": 2, "spatial_dims": 2}
classifier = ViT(1, (16, 16), (8, 8), classification=True, **small)
image = torch.rand(1, 1, 16, 16)
metric = DiceMetric()
metric((torch.rand(2, 2, 8, 8) > 0.5).float(), (torch.rand(2, 2, 8, 8) > 0.5).float())
changes = Compose([ScaleIntensity(), Resize((16, 16)), Rotate(0.3), GaussianSmooth(1.0)])
report(
    losses=losses,
    windows=windows,
    residual=residual(image),
    attention=attention(image),
    classes=classifier(image)[0],
    metric=metric.aggregate(),
    changed=torch.as_tensor(changes(torch.rand(1, 12, 12))),
    focal=FocalLoss()(torch.randn(2, 2, 4, 4), torch.ones(2, 2, 4, 4)),
    tversky=TverskyLoss(sigmoid=True)(torch.randn(2, 1, 4, 4), torch.ones(2, 1, 4, 4)),
)
