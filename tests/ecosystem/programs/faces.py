"""facenet-pytorch: an InceptionResnetV1 embeds images, and its classifier trains one step."""

from facenet_pytorch import InceptionResnetV1, fixed_image_standardization

import torch
from report import report

torch.manual_seed(0)
images = torch.randint(0, 256, (3, 3, 112, 112)).double()
model = InceptionResnetV1(classify=True, num_classes=5, dropout_prob=0.0).double()
optimizer = torch.optim.SGD(model.parameters(), 1e-3)
losses = []
for _ in range(2):
    logits = model(fixed_image_standardization(images))
    loss = torch.nn.functional.cross_entropy(logits, torch.tensor([1, 3, 0]))
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    losses.append(loss)
model.classify = False
with torch.no_grad():
    embedded = model.eval()(fixed_image_standardization(images))
report(losses=losses, embedded=embedded, lengths=embedded.norm(dim=1))
