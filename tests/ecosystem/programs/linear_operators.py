"""linear-operator: structured matrices are multiplied, solved and differentiated without being formed."""

import linear_operator
from linear_operator.operators import (
    DiagLinearOperator,
    KroneckerProductLinearOperator,
    RootLinearOperator,
    ToeplitzLinearOperator,
    to_linear_operator,
)

import torch
from report import report

torch.manual_seed(0)
root = torch.randn(6, 6, dtype=torch.float64, requires_grad=True)
noise = torch.rand(6, dtype=torch.float64).add(0.5).requires_grad_()
right = torch.randn(6, 2, dtype=torch.float64)

matrix = RootLinearOperator(root) + DiagLinearOperator(noise)
quadratic, determinant = matrix.inv_quad_logdet(right, logdet=True)
(quadratic + determinant).backward()

small = to_linear_operator(torch.randn(3, 3, dtype=torch.float64))
product = KroneckerProductLinearOperator(
    small, to_linear_operator(torch.eye(2, dtype=torch.float64))
)
column = torch.tensor([3.0, 1.0, 0.5, 0.25], dtype=torch.float64)
toeplitz = ToeplitzLinearOperator(column)
with linear_operator.settings.max_cg_iterations(50), linear_operator.settings.cg_tolerance(1e-8):
    solved = toeplitz.solve(torch.arange(4.0, dtype=torch.float64))

report(
    quadratic=quadratic,
    determinant=determinant,
    root_gradient=root.grad,
    noise_gradient=noise.grad,
    product=product @ right,
    dense=product.to_dense(),
    toeplitz=toeplitz.to_dense(),
    solved=solved,
    eigenvalues=matrix.eigvalsh(),
    cholesky=matrix.cholesky().to_dense(),
    diagonal=matrix.diagonal(),
    samples=matrix.detach().solve(right),
)
