"""pytorch-crf: a conditional random field over sequences of different lengths; jaxtyping checks its arguments."""
# ruff: noqa: F722 (jaxtyping writes shapes as text)

from beartype import beartype
from jaxtyping import Bool, Float, Int, TypeCheckError, jaxtyped
from torchcrf import CRF

import torch
from report import report

torch.manual_seed(0)
field = CRF(5, batch_first=True)
scores = torch.randn(2, 7, 5, requires_grad=True)
labels = torch.randint(0, 5, (2, 7))
mask = torch.ones(2, 7, dtype=torch.bool)
mask[1, 4:] = False


@jaxtyped(typechecker=beartype)
def likelihood(
    scores: Float[torch.Tensor, "batch time labels"],
    labels: Int[torch.Tensor, "batch time"],
    mask: Bool[torch.Tensor, "batch time"],
    reduction: str,
) -> Float[torch.Tensor, "..."]:
    """Return the logarithm of the likelihood of labels."""
    return field(scores, labels, mask=mask, reduction=reduction)


refused = 0
for wrong in ((scores, labels[:1], mask), (scores, labels.float(), mask), (scores, labels, labels)):
    try:
        likelihood(*wrong, "sum")
    except TypeCheckError:
        refused += 1
total = likelihood(scores, labels, mask, "sum")
total.backward()
report(
    refused=refused,
    found=[likelihood(scores, labels, mask, r) for r in ("sum", "mean", "token_mean", "none")],
    gradients=[scores.grad, field.transitions.grad],
    decoded=[label for sequence in field.decode(scores, mask) for label in sequence],
)
