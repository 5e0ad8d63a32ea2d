"""Tensors of the host and of a device in one call: an error that names the argument, or a result."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import torch
from torch import Tensor, nn
from torch.nn import functional as F

HOST = torch.ones(2, 3)
INDEX = torch.tensor([0, 1])
FIRST_COLUMN = torch.zeros(2, 1, dtype=torch.long)


def on_device(tensor: Tensor = HOST) -> Tensor:
    return tensor.cuda()


# Calls that kernels of one device would answer with memory of another, by a part of the error.
REFUSED: dict[str, Callable[[], object]] = {
    "got mat2 is on cpu, different from other tensors on cuda:0 (when checking argument in method"
    " wrapper_CUDA_mm)": lambda: on_device() @ HOST.t(),
    "got mat2 is on cuda:0, different from other tensors on cpu": lambda: HOST @ on_device().t(),
    "got mat1 is on cuda:0": lambda: nn.Linear(3, 4)(on_device()),
    "got mat1 is on cpu": lambda: nn.Linear(3, 4).cuda()(HOST),
    "got weight is on cpu": lambda: F.conv1d(on_device()[None], torch.ones(2, 2, 2)),
    "got weight is on cuda:0": lambda: F.conv1d(HOST[None], on_device(torch.ones(2, 2, 2))),
    "got index is on cuda:0": lambda: F.embedding(INDEX.cuda(), HOST),
    "wrapper_CUDA_native_layer_norm)": lambda: F.layer_norm(on_device(), (3,), torch.ones(3)),
    "got target is on cpu": lambda: F.cross_entropy(on_device(), INDEX),
    "got target is on cuda:0": lambda: F.cross_entropy(HOST, INDEX.cuda()),
    "wrapper_CUDA_gather)": lambda: on_device().gather(1, FIRST_COLUMN),
    "wrapper_CUDA_scatter_add)": lambda: on_device().scatter_add(1, FIRST_COLUMN.cuda(), HOST),
    "wrapper_CUDA_index_select)": lambda: HOST.index_select(0, INDEX.cuda()),
    "wrapper_CUDA_equal)": lambda: torch.equal(HOST, on_device()),
    "wrapper_CUDA_bmm)": lambda: torch.bmm(on_device()[None], torch.ones(1, 3, 2)),
    "wrapper_CUDA_linalg_solve_triangular)": lambda: torch.linalg.solve_triangular(
        torch.eye(2), on_device(), upper=True
    ),
    "(when checking argument in method wrapper_CUDA_mm_out)": lambda: torch.mm(
        on_device(), on_device().t(), out=torch.empty(2, 2)
    ),
    "found at least two devices, cuda:0 and cpu!": lambda: on_device() + HOST,
    "indices should be either on cpu or on the same device": lambda: HOST[INDEX.cuda()],
    "is not on the expected device": lambda: torch.cat([on_device(), HOST]),
    "got gradient is on cpu": lambda: torch._fused_adagrad_(
        [on_device()], [HOST], [on_device()], [torch.ones(())],
        lr=1.0, lr_decay=0.0, weight_decay=0.0, eps=1e-8, maximize=False,
    ),
}  # fmt: skip

# Calls that may mix: indices and single numbers of the host, and copies.
ACCEPTED: dict[str, Callable[[], Tensor]] = {
    "an index": lambda: on_device()[INDEX],
    "a mask": lambda: on_device()[HOST > 0],
    "an assignment": lambda: on_device().index_put((INDEX,), torch.ones(3).cuda()),
    "a number": lambda: on_device() + torch.tensor(1.0),
    "a number first": lambda: torch.tensor(1.0) - on_device(),
    "a choice": lambda: torch.where(on_device() > 0, on_device(), torch.tensor(0.0)),
    "a shift": lambda: INDEX.cuda() << torch.tensor(1),
    "a copy": lambda: torch.empty(2, 3, device="cuda").copy_(HOST),
    "a copy to the host": lambda: torch.empty(2, 3).copy_(on_device()),
    "numbers of ranges": lambda: torch.repeat_interleave(on_device(), 2, dim=0),
}


@pytest.mark.parametrize("error", REFUSED)
def test_a_call_with_tensors_of_the_host_and_a_device_is_refused(error: str) -> None:
    with pytest.raises(RuntimeError) as raised:
        REFUSED[error]()
    assert error in str(raised.value)


@pytest.mark.parametrize("what", ACCEPTED)
def test_some_arguments_may_be_on_the_host(what: str) -> None:
    assert torch.isfinite(ACCEPTED[what]().cpu()).all()


def test_several_devices_are_refused(two_devices: None) -> None:
    with pytest.raises(
        RuntimeError, match="got mat2 is on cuda:1, different from other tensors on cuda:0"
    ):
        on_device() @ torch.ones(3, 2, device="cuda:1")


def test_optimizers_keep_their_steps_on_the_host() -> None:
    parameter = nn.Parameter(on_device())
    for kind in (torch.optim.Adam, torch.optim.AdamW, torch.optim.Adagrad, torch.optim.SGD):
        optimizer = kind([parameter], lr=0.1)
        parameter.grad = on_device()
        optimizer.step()
    assert parameter.is_cuda
