"""The programs of decompositions, in the part of Python that TorchScript also has.

The generator of `decomposition_registry_util.cpp` reads this file as text. A program with operators in
torch/_decomp/programs.py takes their arguments under the same names.
"""

import torch
from torch import Tensor
from torch.types import Number

SQRT_HALF = 0.7071067811865476
SQRT_TWO_PI = 2.5066282746310002
TANH_SCALE = 0.7978845608028654
"""The square root of 2 / pi."""
CUBIC = 0.044715


# ---- activations ---------------------------------------------------------------------------------
def elu(self: Tensor, alpha: Number = 1, scale: Number = 1, input_scale: Number = 1) -> Tensor:
    negative = (self * input_scale).expm1() * (alpha * scale)
    return torch.where(self > 0, self * scale, negative)


def elu_backward(
    grad_output: Tensor,
    alpha: Number,
    scale: Number,
    input_scale: Number,
    is_result: bool,
    self_or_result: Tensor,
) -> Tensor:
    x = self_or_result
    if is_result:
        negative = grad_output * input_scale * (x + alpha * scale)
    else:
        negative = grad_output * (input_scale * alpha * scale) * (x * input_scale).exp()
    return torch.where(x <= 0, negative, grad_output * scale)


def gelu(self: Tensor, approximate: str = "none") -> Tensor:
    if approximate == "tanh":
        inner = TANH_SCALE * (self + CUBIC * self * self * self)
        return 0.5 * self * (1 + inner.tanh())
    return self * 0.5 * (1 + (self * SQRT_HALF).erf())


def gelu_backward(grad_output: Tensor, self: Tensor, approximate: str = "none") -> Tensor:
    if approximate == "tanh":
        square = self * self
        tanh = (TANH_SCALE * (self + CUBIC * square * self)).tanh()
        slope = TANH_SCALE * (1 + 3 * CUBIC * square)
        return grad_output * (0.5 * (1 + tanh) + 0.5 * self * (1 - tanh * tanh) * slope)
    density = (-0.5 * self * self).exp() / SQRT_TWO_PI
    return grad_output * (0.5 * (1 + (self * SQRT_HALF).erf()) + self * density)


def silu(self: Tensor) -> Tensor:
    return self * self.sigmoid()


def silu_backward(grad_output: Tensor, self: Tensor) -> Tensor:
    sigmoid = self.sigmoid()
    return grad_output * sigmoid * (1 + self * (1 - sigmoid))


def mish(self: Tensor) -> Tensor:
    return self * torch.where(self > 20, self, self.exp().log1p()).tanh()


def mish_backward(grad_output: Tensor, self: Tensor) -> Tensor:
    tanh = torch.where(self > 20, self, self.exp().log1p()).tanh()
    return grad_output * (tanh + self * self.sigmoid() * (1 - tanh * tanh))


def softplus(self: Tensor, beta: Number = 1, threshold: Number = 20) -> Tensor:
    scaled = self * beta
    return torch.where(scaled > threshold, self, scaled.exp().log1p() / beta)


def softplus_backward(grad_output: Tensor, self: Tensor, beta: Number, threshold: Number) -> Tensor:
    scaled = self * beta
    return torch.where(scaled > threshold, grad_output, grad_output * scaled.sigmoid())


def hardswish(self: Tensor) -> Tensor:
    return self * (self + 3).clamp(0, 6) / 6


def hardswish_backward(grad_output: Tensor, self: Tensor) -> Tensor:
    inner = torch.where(self < 3, grad_output * (self / 3 + 0.5), grad_output)
    return torch.where(self <= -3, torch.zeros_like(grad_output), inner)


def hardsigmoid(self: Tensor) -> Tensor:
    return (self + 3).clamp(0, 6) / 6


def hardsigmoid_backward(grad_output: Tensor, self: Tensor) -> Tensor:
    inside = (self > -3) & (self < 3)
    return torch.where(inside, grad_output / 6, torch.zeros_like(grad_output))


def hardtanh(self: Tensor, min_val: Number = -1, max_val: Number = 1) -> Tensor:
    return self.clamp(min_val, max_val)


def hardtanh_backward(
    grad_output: Tensor, self: Tensor, min_val: Number, max_val: Number
) -> Tensor:
    outside = (self <= min_val) | (self >= max_val)
    return torch.where(outside, torch.zeros_like(grad_output), grad_output)


def hardshrink(self: Tensor, lambd: Number = 0.5) -> Tensor:
    inside = (self >= -lambd) & (self <= lambd)
    return torch.where(inside, torch.zeros_like(self), self)


def softshrink(self: Tensor, lambd: Number = 0.5) -> Tensor:
    shrunk = torch.where(self > lambd, self - lambd, self + lambd)
    # Written so that NaN stays NaN.
    return torch.where((self >= -lambd) & (self <= lambd), self * 0, shrunk)


def softshrink_backward(grad_output: Tensor, self: Tensor, lambd: Number) -> Tensor:
    inside = (self >= -lambd) & (self <= lambd)
    return torch.where(inside, torch.zeros_like(grad_output), grad_output)


def leaky_relu(self: Tensor, negative_slope: Number = 0.01) -> Tensor:
    return torch.where(self > 0, self, self * negative_slope)


def leaky_relu_backward(
    grad_output: Tensor, self: Tensor, negative_slope: Number, self_is_result: bool
) -> Tensor:
    return torch.where(self > 0, grad_output, grad_output * negative_slope)


def threshold(self: Tensor, threshold: Number, value: Number) -> Tensor:
    return torch.where(self <= threshold, torch.full_like(self, value), self)


def threshold_backward(grad_output: Tensor, self: Tensor, threshold: Number) -> Tensor:
    return torch.where(self <= threshold, torch.zeros_like(grad_output), grad_output)


def log_sigmoid_forward(self: Tensor) -> tuple[Tensor, Tensor]:
    exponential = (-self.abs()).exp()
    return (self.clamp(max=0) - exponential.log1p(), exponential)


def log_sigmoid_backward(grad_output: Tensor, self: Tensor, buffer: Tensor) -> Tensor:
    exponential = (-self.abs()).exp()
    negative = self < 0
    slope = torch.where(negative, torch.ones_like(self), torch.zeros_like(self))
    sign = torch.where(negative, torch.ones_like(self), -torch.ones_like(self))
    return grad_output * (slope - sign * (exponential / (1 + exponential)))


def glu(self: Tensor, dim: int = -1) -> Tensor:
    halves = self.chunk(2, dim)
    return halves[0] * halves[1].sigmoid()


def glu_backward(grad_output: Tensor, self: Tensor, dim: int) -> Tensor:
    halves = self.chunk(2, dim)
    sigmoid = halves[1].sigmoid()
    inner = sigmoid * grad_output
    return torch.cat([inner, inner * (1 - sigmoid) * halves[0]], dim)


def prelu_kernel(self: Tensor, weight: Tensor) -> Tensor:
    return torch.where(self > 0, self, self * weight)


def prelu_kernel_backward(
    grad_output: Tensor, self: Tensor, weight: Tensor
) -> tuple[Tensor, Tensor]:
    positive = self > 0
    of_weight = torch.where(positive, torch.zeros_like(grad_output), self * grad_output)
    return (torch.where(positive, grad_output, weight * grad_output), of_weight)


def sigmoid_backward(grad_output: Tensor, output: Tensor) -> Tensor:
    return grad_output * (output * (1 - output)).conj()


def tanh_backward(grad_output: Tensor, output: Tensor) -> Tensor:
    return grad_output * (1 - output * output).conj()


# ---- losses --------------------------------------------------------------------------------------
def reduced(loss: Tensor, reduction: int) -> Tensor:
    """Reduce element-wise losses: 0 for none, 1 for the mean, 2 for the sum."""
    return loss if reduction == 0 else loss.mean() if reduction == 1 else loss.sum()


def mean_scale(tensor: Tensor, reduction: int) -> float:
    """Return the factor of the gradient of each loss."""
    return 1.0 / float(max(tensor.numel(), 1)) if reduction == 1 else 1.0


def mse_loss(self: Tensor, target: Tensor, reduction: int = 1) -> Tensor:
    difference = self - target
    return reduced(difference * difference, reduction)


def mse_loss_backward(grad_output: Tensor, self: Tensor, target: Tensor, reduction: int) -> Tensor:
    return 2 * mean_scale(self, reduction) * (self - target) * grad_output


def huber_loss(self: Tensor, target: Tensor, reduction: int = 1, delta: float = 1.0) -> Tensor:
    distance = (self - target).abs()
    near = 0.5 * distance * distance
    return reduced(torch.where(distance < delta, near, delta * (distance - 0.5 * delta)), reduction)


def huber_loss_backward(
    grad_output: Tensor, self: Tensor, target: Tensor, reduction: int, delta: float
) -> Tensor:
    slope = (self - target).clamp(-delta, delta)
    return mean_scale(self, reduction) * slope * grad_output


def smooth_l1_loss(self: Tensor, target: Tensor, reduction: int = 1, beta: float = 1.0) -> Tensor:
    distance = (self - target).abs()
    if beta == 0:
        return reduced(distance, reduction)
    near = 0.5 * distance * distance / beta
    return reduced(torch.where(distance < beta, near, distance - 0.5 * beta), reduction)


def smooth_l1_loss_backward(
    grad_output: Tensor, self: Tensor, target: Tensor, reduction: int, beta: float
) -> Tensor:
    difference = self - target
    slope = difference.sign() if beta == 0 else (difference / beta).clamp(-1, 1)
    return mean_scale(self, reduction) * slope * grad_output


def soft_margin_loss(self: Tensor, target: Tensor, reduction: int = 1) -> Tensor:
    return reduced((-self * target).exp().log1p(), reduction)


def soft_margin_loss_backward(
    grad_output: Tensor, self: Tensor, target: Tensor, reduction: int
) -> Tensor:
    slope = (self * target).neg().sigmoid()
    return -mean_scale(self, reduction) * target * slope * grad_output


def binary_cross_entropy(
    self: Tensor, target: Tensor, weight: Tensor | None = None, reduction: int = 1
) -> Tensor:
    # The logarithms are bounded from below, as in the kernel.
    loss = (target - 1) * (-self).log1p().clamp(min=-100) - target * self.log().clamp(min=-100)
    return reduced(loss if weight is None else loss * weight, reduction)


def binary_cross_entropy_backward(
    grad_output: Tensor,
    self: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    reduction: int = 1,
) -> Tensor:
    slope = (self - target) / (self * (1 - self)).clamp(min=1e-12)
    scaled = grad_output * slope * mean_scale(self, reduction)
    return scaled if weight is None else scaled * weight


def binary_cross_entropy_with_logits(
    self: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    pos_weight: Tensor | None = None,
    reduction: int = 1,
) -> Tensor:
    log_sigmoid = self.clamp(max=0) - (-self.abs()).exp().log1p()
    weighted = log_sigmoid
    if pos_weight is not None:
        weighted = ((pos_weight - 1) * target + 1) * log_sigmoid
    loss = (1 - target) * self - weighted
    return reduced(loss if weight is None else loss * weight, reduction)


# ---- products ------------------------------------------------------------------------------------
def combined(self: Tensor, product: Tensor, beta: Number, alpha: Number) -> Tensor:
    """Return beta * self + alpha * product; a beta of zero drops infinities and NaN of `self`."""
    scaled = product if alpha == 1 else product * alpha
    if beta == 0:
        return scaled
    return (self if beta == 1 else self * beta) + scaled


def addmm(self: Tensor, mat1: Tensor, mat2: Tensor, beta: Number = 1, alpha: Number = 1) -> Tensor:
    return combined(self, torch.mm(mat1, mat2), beta, alpha)


def addmv(self: Tensor, mat: Tensor, vec: Tensor, beta: Number = 1, alpha: Number = 1) -> Tensor:
    return combined(self, torch.mv(mat, vec), beta, alpha)


def baddbmm(
    self: Tensor, batch1: Tensor, batch2: Tensor, beta: Number = 1, alpha: Number = 1
) -> Tensor:
    return combined(self, torch.bmm(batch1, batch2), beta, alpha)


def mv(self: Tensor, vec: Tensor) -> Tensor:
    return torch.mm(self, vec.unsqueeze(1)).squeeze(1)


def dot(self: Tensor, tensor: Tensor) -> Tensor:
    return (self * tensor).sum(dtype=self.dtype)


# ---- variances -----------------------------------------------------------------------------------
def wrapped(dim: list[int] | None, rank: int) -> list[int]:
    """Return dimensions counted from the front; all if there are none."""
    result: list[int] = []
    if dim is not None:
        for each in dim:
            result.append(each % max(rank, 1))
    if len(result) == 0:
        for each in range(rank):
            result.append(each)
    return result


def freedom(self: Tensor, dims: list[int], correction: Number | None) -> float:
    """Return the number of elements that are reduced, less the correction."""
    count = 1
    if self.dim() > 0:
        for dim in dims:
            count *= self.shape[dim]
    return max(0.0, float(count) - (1.0 if correction is None else float(correction)))


def var_mean(
    self: Tensor,
    dim: list[int] | None = None,
    correction: Number | None = None,
    keepdim: bool = False,
) -> tuple[Tensor, Tensor]:
    dims = wrapped(dim, self.dim())
    mean = self.mean(dims, keepdim=True) if self.dim() > 0 else self
    distance = self - mean
    square = distance * distance
    if self.is_complex():
        square = torch.real(distance * distance.conj())
    total = square.sum(dims, keepdim=keepdim) if self.dim() > 0 else square
    kept = mean if keepdim or self.dim() == 0 else mean.squeeze(dims)
    return (total / freedom(self, dims, correction), kept)


def var(
    self: Tensor,
    dim: list[int] | None = None,
    correction: Number | None = None,
    keepdim: bool = False,
) -> Tensor:
    return var_mean(self, dim, correction, keepdim)[0]


def std_mean(
    self: Tensor,
    dim: list[int] | None = None,
    correction: Number | None = None,
    keepdim: bool = False,
) -> tuple[Tensor, Tensor]:
    parts = var_mean(self, dim, correction, keepdim)
    return (parts[0].sqrt(), parts[1])


def std(
    self: Tensor,
    dim: list[int] | None = None,
    correction: Number | None = None,
    keepdim: bool = False,
) -> Tensor:
    return std_mean(self, dim, correction, keepdim)[0]
