"""POT: distances of distributions and their gradients."""

import ot

import torch
from report import report

torch.manual_seed(0)
points, others = torch.rand(5, 2, requires_grad=True), torch.rand(6, 2)
weights, other_weights = torch.ones(5) / 5, torch.ones(6) / 6
costs = ot.dist(points, others)
distance = ot.emd2(weights, other_weights, costs)
distance.backward()
fixed = costs.detach()
smooth = points.detach().requires_grad_()
entropic = ot.sinkhorn2(weights, other_weights, ot.dist(smooth, others), 0.5)
entropic.backward()
inner = (ot.dist(points.detach(), points.detach()), ot.dist(others, others))
report(
    distance=[distance, points.grad],
    plan=ot.sinkhorn(weights, other_weights, fixed, 0.1),
    stabilized=ot.bregman.sinkhorn_stabilized(weights, other_weights, fixed, 0.1),
    entropic=[entropic, smooth.grad],
    unbalanced=ot.unbalanced.sinkhorn_unbalanced(weights, other_weights, fixed, 0.1, 1.0),
    sliced=ot.sliced_wasserstein_distance(points.detach(), others, seed=0),
    gromov=ot.gromov.entropic_gromov_wasserstein(
        *inner, weights, other_weights, epsilon=0.1, max_iter=10
    ),
    projected=ot.gaussian.bures_wasserstein_distance(
        torch.zeros(2), torch.ones(2), torch.eye(2), 2 * torch.eye(2)
    ),
)
