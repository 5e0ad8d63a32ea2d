"""vit-pytorch: several vision transformers train."""

from vit_pytorch import SimpleViT, ViT
from vit_pytorch.cait import CaiT
from vit_pytorch.cct import CCT
from vit_pytorch.deepvit import DeepViT

import torch
from report import report

images, labels = (
    torch.rand(2, 3, 32, 32, generator=torch.Generator().manual_seed(0)),
    torch.tensor([0, 1]),
)
size = {"dim": 32, "heads": 4, "mlp_dim": 64}
view = {"image_size": 32, "patch_size": 8, "num_classes": 5}


def train(model):
    """Return the losses of two steps and the output."""
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    losses = []
    for _ in range(2):
        loss = torch.nn.functional.cross_entropy(model(images), labels)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss)
    return [*losses, model.eval()(images)]


torch.manual_seed(0)
report(
    vit=train(ViT(depth=2, dropout=0.1, **view, **size)),
    simple=train(SimpleViT(depth=2, **view, **size)),
    deep=train(DeepViT(depth=2, **view, **size)),
    cait=train(CaiT(depth=2, cls_depth=1, **view, **size)),
    cct=train(
        CCT(
            img_size=(32, 32),
            embedding_dim=32,
            n_conv_layers=1,
            num_layers=2,
            num_heads=4,
            num_classes=5,
        )
    ),
)
