"""vector-quantize-pytorch and rotary-embedding-torch: code books train; positions turn queries and keys."""

from rotary_embedding_torch import RotaryEmbedding, apply_rotary_emb
from vector_quantize_pytorch import FSQ, ResidualVQ, VectorQuantize

import torch
from report import report

torch.manual_seed(0)
x = torch.randn(2, 16, 8, requires_grad=True)
found = {}
for name, module in {
    "plain": VectorQuantize(dim=8, codebook_size=16, decay=0.8, commitment_weight=1.0),
    "cosine": VectorQuantize(dim=8, codebook_size=16, use_cosine_sim=True),
    "residual": ResidualVQ(dim=8, num_quantizers=2, codebook_size=16),
}.items():
    quantized, places, loss = module(x)
    (quantized.square().sum() + loss.sum()).backward()
    found[name] = [quantized, places, loss, x.grad.clone()]
    x.grad = None
levels, places = FSQ([8, 5])(torch.randn(2, 16, 2))
rotary = RotaryEmbedding(dim=8)
q = torch.randn(1, 2, 6, 8)
turned = rotary.rotate_queries_or_keys(q)
again = apply_rotary_emb(rotary(torch.arange(6).float()), q)
report(levels=levels, places=places, turned=turned, again=again, **found)
