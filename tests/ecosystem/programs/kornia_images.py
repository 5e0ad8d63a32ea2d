"""kornia: filters, colours, geometry, features and augmentation of images, with gradients."""

import kornia
from kornia import augmentation, color, enhance, filters, losses, morphology

import torch
from report import report

torch.manual_seed(0)
images = torch.rand(2, 3, 16, 16, requires_grad=True)
blurred = filters.gaussian_blur2d(images, (3, 3), (1.5, 1.5))
edges = filters.sobel(blurred)
(edges.sum() + losses.ssim_loss(images, blurred, 5)).backward()
plain = images.detach()
torch.manual_seed(1)
augment = augmentation.AugmentationSequential(
    augmentation.RandomHorizontalFlip(p=1.0),
    augmentation.ColorJiggle(0.1, 0.1, 0.1, 0.1, p=1.0),
    augmentation.RandomErasing(p=1.0),
)
angles = torch.tensor([0.1, 0.2])
report(
    gradient=images.grad,
    edges=edges,
    gray=color.rgb_to_grayscale(plain),
    hsv=color.rgb_to_hsv(plain),
    lab=color.rgb_to_lab(plain),
    equal=enhance.normalize(plain, torch.tensor([0.5] * 3), torch.tensor([0.2] * 3)),
    opened=morphology.opening(plain, torch.ones(3, 3)),
    median=filters.median_blur(plain, (3, 3)),
    laplacian=filters.laplacian(plain, 3),
    corners=kornia.feature.harris_response(plain),
    augmented=augment(plain),
    rotation=kornia.geometry.conversions.angle_to_rotation_matrix(angles),
    axis=kornia.geometry.conversions.axis_angle_to_rotation_matrix(torch.randn(2, 3)),
    psnr=kornia.metrics.psnr(plain, blurred.detach(), 1.0),
)
