"""geoopt: optimization in hyperbolic space, on a sphere and over orthogonal frames."""

import geoopt

import torch
from report import report

torch.manual_seed(0)
ball, sphere, stiefel = geoopt.PoincareBall(), geoopt.Sphere(), geoopt.EuclideanStiefel()
point = geoopt.ManifoldParameter(torch.randn(4, 3) * 0.1, manifold=ball)
frame = geoopt.ManifoldParameter(torch.linalg.qr(torch.randn(5, 3))[0], manifold=stiefel)
direction = geoopt.ManifoldParameter(sphere.random_uniform(4, 3), manifold=sphere)
optimizer = geoopt.optim.RiemannianAdam([point, frame, direction], lr=1e-2)
goal, matrix, losses = ball.random_normal(4, 3), torch.randn(5, 5), []
for _ in range(5):
    optimizer.zero_grad()
    spread = torch.trace(frame.T @ matrix @ matrix.T @ frame)
    loss = ball.dist(point, goal).pow(2).sum() + spread + direction.sum()
    loss.backward()
    optimizer.step()
    losses.append(loss)
tangent = ball.logmap(point, goal)
report(losses=losses, point=point, frame=frame, direction=direction, tangent=tangent)
