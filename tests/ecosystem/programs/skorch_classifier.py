"""skorch: a classifier trains with scikit-learn's interface, in a pipeline and a grid search."""

from sklearn.datasets import make_classification
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from skorch import NeuralNetClassifier

import torch
from report import report
from torch import nn

torch.manual_seed(0)
X, y = make_classification(200, 10, n_informative=5, random_state=0)
X, y = X.astype("float32"), y.astype("int64")


class Net(nn.Module):
    """A small classifier."""

    def __init__(self, width=16):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(10, width), nn.ReLU(), nn.Dropout(0.2), nn.Linear(width, 2)
        )

    def forward(self, X):
        return torch.softmax(self.layers(X), dim=-1)


net = NeuralNetClassifier(Net, max_epochs=5, lr=0.1, verbose=0)
pipe = Pipeline([("scale", StandardScaler()), ("net", net)]).fit(X, y)
net.set_params(module__width=8, optimizer=torch.optim.Adam, lr=0.01)
net.fit(X, y)
history = [row["train_loss"] for row in net.history]
valid = [row["valid_loss"] for row in net.history]
report(history=history, valid=valid, probabilities=torch.from_numpy(pipe.predict_proba(X)))
