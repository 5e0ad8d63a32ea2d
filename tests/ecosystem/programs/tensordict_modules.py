"""tensordict and torchrl: modules over dictionaries of tensors, mapped calls, and a step of PPO."""

from pathlib import Path

from tensordict import TensorDict, tensorclass
from tensordict.nn import TensorDictModule, TensorDictSequential
from torchrl.data import LazyTensorStorage, TensorDictReplayBuffer
from torchrl.modules import MLP, OneHotCategorical, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

import torch
from report import report
from torch import nn


@tensorclass
class Points:
    place: torch.Tensor
    weight: torch.Tensor


torch.manual_seed(0)
data = TensorDict({"a": torch.randn(4, 3), "b": {"c": torch.ones(4, 2)}}, batch_size=[4])
model = TensorDictSequential(
    TensorDictModule(nn.Linear(3, 5), in_keys=["a"], out_keys=["hidden"]),
    TensorDictModule(nn.Linear(5, 1), in_keys=["hidden"], out_keys=["value"]),
)
optimizer, losses = torch.optim.SGD(model.parameters(), lr=0.1), []
for _ in range(3):
    loss = model(data)["value"].pow(2).mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    losses.append(loss)
parameters, plain = TensorDict.from_module(model).detach(), data.detach()


def call(state, inputs):
    with state.to_module(model):
        return model(inputs)["value"]


both = torch.stack([parameters.clone(), parameters.clone() * 2])
points = Points(place=torch.arange(6.0).view(3, 2), weight=torch.ones(3), batch_size=[3])
folder = Path("mapped")
plain.clone().memmap_(folder)

actor = ProbabilisticActor(
    TensorDictModule(MLP(4, 2, num_cells=[16]), in_keys=["observation"], out_keys=["logits"]),
    in_keys=["logits"],
    distribution_class=OneHotCategorical,
    return_log_prob=True,
)
critic = ValueOperator(MLP(4, 1, num_cells=[16]), in_keys=["observation"])
ended = torch.zeros(2, 8, 1, dtype=torch.bool)
following = {"observation": torch.randn(2, 8, 4), "reward": torch.randn(2, 8, 1)}
following = TensorDict({**following, "done": ended, "terminated": ended.clone()}, [2, 8])
steps = TensorDict({"observation": torch.randn(2, 8, 4), "next": following}, [2, 8])
with torch.no_grad():
    steps = actor(steps)
GAE(gamma=0.99, lmbda=0.95, value_network=critic)(steps)
objective, agent = ClipPPOLoss(actor, critic), []
optimizer = torch.optim.Adam(objective.parameters(), 1e-2)
for _ in range(3):
    terms = objective(steps.clone())
    loss = terms["loss_objective"] + terms["loss_critic"] + terms["loss_entropy"]
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    agent.append(loss)
buffer = TensorDictReplayBuffer(storage=LazyTensorStorage(32), batch_size=4)
buffer.extend(steps.reshape(-1))
report(
    losses=losses,
    mapped=torch.vmap(call, (0, None))(both, plain.clone()),
    stacked=torch.stack([plain, plain + 1])["b", "c"],
    points=points[1:].place,
    loaded=TensorDict.load_memmap(folder)["a"],
    agent=agent,
    stored=[len(buffer), buffer.sample()["observation"].shape[0]],
)
