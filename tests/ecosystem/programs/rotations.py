"""roma and pypose: rotations, their conversions, gradients, and a least-squares optimizer over poses."""

import pypose
import roma

import torch
from report import report

torch.manual_seed(0)
quaternions = roma.random_unitquat(5)
matrices = roma.unitquat_to_rotmat(quaternions)
vectors = roma.rotmat_to_rotvec(matrices).requires_grad_()
roma.rotvec_to_rotmat(vectors)[:, 0].sum().backward()

rotation = pypose.randn_SO3(3, requires_grad=True)
(rotation @ torch.rand(3, 3)).square()[:, 0].sum().backward()
pose = pypose.randn_SE3(2)


class Inverse(torch.nn.Module):
    """Learns the inverse of the poses it is given."""

    def __init__(self):
        super().__init__()
        self.pose = pypose.Parameter(pypose.randn_SE3(2))

    def forward(self, given):
        return (self.pose @ given).Log().tensor()


optimizer = pypose.optim.LM(Inverse(), strategy=pypose.optim.strategy.Constant(damping=1e-4))
report(
    quaternions=quaternions,
    matrices=matrices,
    gradient=vectors.grad,
    between=roma.unitquat_slerp(quaternions, quaternions.flip(0), torch.linspace(0, 1, 3)),
    nearest=roma.special_procrustes(torch.rand(5, 3, 3)),
    registration=roma.rigid_points_registration(torch.rand(6, 3), torch.rand(6, 3)),
    rotation=[rotation.tensor(), rotation.grad],
    pose=[(pose.Inv() @ pose).tensor(), pose.Log().tensor(), pose.matrix()],
    fitted=[optimizer.step(pose) for _ in range(3)],
)
