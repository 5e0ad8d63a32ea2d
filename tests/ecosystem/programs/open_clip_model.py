"""open_clip: a small CLIP with random weights trains with the contrastive loss."""

from open_clip import CLIP, ClipLoss

import torch
from report import report

torch.manual_seed(0)
vision = {"image_size": 32, "patch_size": 8, "width": 32, "layers": 2, "head_width": 16}
text = {"context_length": 12, "vocab_size": 60, "width": 32, "heads": 2, "layers": 2}
model = CLIP(embed_dim=16, vision_cfg=vision, text_cfg=text)
images, words = torch.rand(4, 3, 32, 32), torch.randint(0, 60, (4, 12))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, betas=(0.9, 0.98))
losses = []
for _ in range(3):
    loss = ClipLoss()(*model(images, words))
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    losses.append(loss)
with torch.no_grad():
    report(losses=losses, image=model.encode_image(images), text=model.encode_text(words))
