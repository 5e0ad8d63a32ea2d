"""The operators behind distributions of the gamma function's family, by the names used here."""

import torch

lgamma = torch.lgamma
digamma = torch.digamma
polygamma = torch.polygamma
mvlgamma = torch.mvlgamma
gammainc = torch.igamma
standard_gamma = torch._standard_gamma
sample_dirichlet = torch._sample_dirichlet
poisson = torch.poisson
binomial = torch.binomial
