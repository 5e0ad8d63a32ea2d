"""tensorly: decompositions of a tensor, with PyTorch as the back end."""

import tensorly
from tensorly.decomposition import non_negative_parafac, parafac, tensor_train, tucker

import torch
from report import report

tensorly.set_backend("pytorch")
torch.manual_seed(0)
tensor = torch.rand(4, 5, 6, dtype=torch.float64)
report(
    canonical=parafac(tensor, 3, init="svd", n_iter_max=20).to_tensor(),
    tucker=tucker(tensor, [2, 3, 2]).to_tensor(),
    train=tensor_train(tensor, [1, 3, 3, 1]).to_tensor(),
    non_negative=non_negative_parafac(tensor, 2, init="svd", n_iter_max=10).to_tensor(),
)
