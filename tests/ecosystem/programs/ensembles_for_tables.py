"""tabm and rtdl-num-embeddings: many networks in one for tables, and embeddings of numbers."""

import rtdl_num_embeddings as embeddings
from tabm import TabM

import torch
from report import report

torch.manual_seed(0)
numbers, categories = torch.rand(6, 3), torch.randint(0, 3, (6, 2))
bins = embeddings.compute_bins(torch.rand(50, 3), n_bins=4)
model = TabM.make(
    n_num_features=3,
    cat_cardinalities=[3, 3],
    d_out=1,
    num_embeddings=embeddings.PiecewiseLinearEmbeddings(bins, 4, activation=False, version="B"),
    d_block=8,
    n_blocks=2,
    k=4,
    dropout=0.0,
)
optimizer = torch.optim.AdamW(model.parameters(), 1e-2)
losses = []
for _ in range(3):
    optimizer.zero_grad()
    losses.append((model(numbers, categories) - 1).square().mean())
    losses[-1].backward()
    optimizer.step()
report(
    bins=bins,
    losses=losses,
    encoded=embeddings.PiecewiseLinearEncoding(bins)(numbers),
    rectified=embeddings.LinearReLUEmbeddings(3, 4)(numbers),
    periodic=embeddings.PeriodicEmbeddings(3, 4, lite=False)(numbers),
)
