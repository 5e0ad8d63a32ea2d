"""pytorch-ignite: an engine trains with handlers, metrics and a schedule."""

from ignite.contrib.handlers import PiecewiseLinear
from ignite.engine import Events, create_supervised_evaluator, create_supervised_trainer
from ignite.handlers import EarlyStopping
from ignite.metrics import Accuracy, ConfusionMatrix, Loss, Precision

import torch
from report import report
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(64, 6)
data = DataLoader(TensorDataset(x, (x.sum(1) > 0).long()), batch_size=16)
model = torch.nn.Sequential(torch.nn.Linear(6, 12), torch.nn.Tanh(), torch.nn.Linear(12, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loss = torch.nn.CrossEntropyLoss()
trainer = create_supervised_trainer(model, optimizer, loss)
metrics = {
    "accuracy": Accuracy(),
    "loss": Loss(loss),
    "precision": Precision(average=True),
    "confusion": ConfusionMatrix(2),
}
evaluator = create_supervised_evaluator(model, metrics=metrics)
schedule = PiecewiseLinear(optimizer, "lr", [(0, 0.1), (8, 0.5), (16, 0.1)])
trainer.add_event_handler(Events.ITERATION_STARTED, schedule)
stopping = EarlyStopping(2, lambda engine: -engine.state.metrics["loss"], trainer)
evaluator.add_event_handler(Events.COMPLETED, stopping)
losses, results = [], []


@trainer.on(Events.ITERATION_COMPLETED)
def note(engine):
    """Keep the loss."""
    losses.append(engine.state.output)


@trainer.on(Events.EPOCH_COMPLETED)
def evaluate(engine):
    """Evaluate after each epoch."""
    results.append([torch.as_tensor(v) for v in evaluator.run(data).metrics.values()])


trainer.run(data, max_epochs=4)
report(losses=losses, results=results)
